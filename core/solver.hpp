// Exact play in Dots and Boxes: the value to come of any position on a board of at most 64 dots.
//
// Value: boxes still to come for the player to move less the other's, under best play. It depends on the
// undrawn lines alone. What makes it fast, each checked against brute force by the tests:
//   - boxes on offer need no search (BoxesPlanes::take_all), and chains and loops alone are a matter of lengths
//     (chains_value);
//   - elsewhere the moves are the safe lines and ONE opening of each chain or loop, since all its lines lead to
//     the same position (a chain of two is opened in the middle, which leaves no double deal);
//   - symmetries and interchangeable border lines share their table entries: these are named by the least and by
//     the sum of the keys of all symmetric images, each kept up to date line by line (Zobrist);
//   - values have the parity of the number of open boxes, so null windows step by two (Plaat's MTD(f)); a
//     child's bounds are looked up before any child is searched.
// After Barker and Korf, "Solving Dots-And-Boxes", AAAI 2012, who name most of these.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "boxes_chains.hpp"
#include "boxes_planes.hpp"
#include "random.hpp"
#include "solver_table.hpp"

namespace dotzero {

struct SolverLimits {
    uint64_t max_nodes = std::numeric_limits<uint64_t>::max();
    double max_seconds = std::numeric_limits<double>::infinity();
    const std::atomic<bool>* stop = nullptr;               // ends the search from outside
    const std::function<bool()>* interrupted = nullptr;  // asked now and then; so does its yes
};

struct Answer {
    int lower, upper;  // equal where the value is exact
    uint64_t num_nodes;

    bool exact() const { return lower == upper; }
};

// A line set with the keys of its symmetric images.
struct KeyedLines {
    LineSet lines;
    alignas(64) std::array<uint64_t, BoxesPlanes::kMaxSymmetries> keys{};
};

class ZobristKeys {
  public:
    explicit ZobristKeys(const BoxesPlanes& planes) : planes_(planes) {
        Random random(0x646F747A65726Full);
        std::array<uint64_t, BoxesPlanes::kMaxSlots> numbers;
        for (uint64_t& number : numbers) number = random.next();
        for (int line = 0; line < planes.num_lines(); ++line)
            for (int s = 0; s < BoxesPlanes::kMaxSymmetries; ++s)
                keys_[planes.slot(line)][s] = numbers[planes.image(s % planes.num_symmetries(), planes.slot(line))];
    }

    KeyedLines keyed(const LineSet& lines) const {
        KeyedLines result{lines, {}};
        flip(result, lines);
        return result;
    }

    KeyedLines after(const KeyedLines& before, const LineSet& rest) const {
        KeyedLines result{rest, before.keys};
        flip(result, before.lines.without(rest));
        return result;
    }

    KeyedLines after(const KeyedLines& before, int slot) const {
        KeyedLines result = before;
        result.lines.remove(slot);
        for (size_t s = 0; s < result.keys.size(); ++s) result.keys[s] ^= keys_[slot][s];
        return result;
    }

    // The symmetry whose image has the least key; that key is the check of the table.
    static int canonical(const KeyedLines& position) {
        return static_cast<int>(std::min_element(position.keys.begin(), position.keys.end()) - position.keys.begin());
    }

    // All images share the least of their keys, and the sum of them, which depends on all of their bits.
    static TableKey table_key(const KeyedLines& position) {
        TableKey key{UINT64_MAX, 0};
        for (const uint64_t image : position.keys) note(key, image);
        return key;
    }

    TableKey table_key_after(const KeyedLines& before, int slot) const {
        TableKey key{UINT64_MAX, 0};
        for (size_t s = 0; s < before.keys.size(); ++s) note(key, before.keys[s] ^ keys_[slot][s]);
        return key;
    }

  private:
    static void note(TableKey& key, uint64_t image) {
        key.check = std::min(key.check, image);
        key.place += image;
    }

    void flip(KeyedLines& position, const LineSet& lines) const {
        lines.each([&](int slot) {
            for (size_t s = 0; s < position.keys.size(); ++s) position.keys[s] ^= keys_[slot][s];
        });
    }

    const BoxesPlanes& planes_;
    alignas(64) std::array<std::array<uint64_t, BoxesPlanes::kMaxSymmetries>, BoxesPlanes::kMaxSlots> keys_{};
};

// One thread's search over a table that several may share.
class SolverSearch {
  public:
    SolverSearch(const BoxesPlanes& planes, const ZobristKeys& zobrist, SolverTable& table, uint64_t thread = 0)
        : planes_(planes), zobrist_(zobrist), table_(table), random_(thread), wander_(thread != 0),
          history_(planes.nearness_to_centre()) {}

    // The value of any position.
    Answer solve(const LineSet& undrawn, const SolverLimits& limits) {
        begin(limits);
        const Capture capture = planes_.take_all(undrawn, planes_.degrees(undrawn));
        return seen_from(capture, solve_quiet(planes_.normal(capture.rest)));
    }

    // Whether the value of any position reaches `threshold`: 1 yes, 0 no, -1 not known within the limits.
    int reaches(const LineSet& undrawn, int threshold, const SolverLimits& limits) {
        begin(limits);
        const Capture capture = planes_.take_all(undrawn, planes_.degrees(undrawn));
        const LineSet rest = planes_.normal(capture.rest);
        const int missing = threshold - capture.taken;  // by taking everything
        int yes = test(rest, missing) >= missing;
        if (!yes && capture.left && !stopped_) {  // by the double deal: -value of rest >= missing + 2 * left
            const int most = -(missing + 2 * capture.left);
            yes = test(rest, most + 1) <= most;
        }
        return stopped_ ? -1 : yes;
    }

    uint64_t num_nodes() const { return num_nodes_; }

    // Bounds of a position from bounds of what is left after its captures.
    static Answer seen_from(const Capture& capture, Answer rest) {
        if (!capture.left) return {capture.taken + rest.lower, capture.taken + rest.upper, rest.num_nodes};
        const int low = rest.lower + capture.left, high = rest.upper + capture.left;
        const int least = low > 0 ? low : high < 0 ? -high : (low & 1);
        const int most = std::max(std::abs(low), std::abs(high));
        return {capture.taken - capture.left + least, capture.taken - capture.left + most, rest.num_nodes};
    }

  private:
    int num_open(const LineSet& lines) const { return __builtin_popcountll(planes_.degrees(lines).open()); }

    void begin(const SolverLimits& limits) {
        num_nodes_ = 0;
        stopped_ = false;
        limits_ = limits;
        started_ = std::chrono::steady_clock::now();
    }

    // A lower bound of the value where that reaches `threshold`, else an upper bound. `quiet` has no box on
    // offer and is in normal form. Without meaning once stopped_.
    int test(const LineSet& quiet, int threshold) {
        return search(zobrist_.keyed(quiet), num_open(quiet), threshold);
    }

    struct Move {
        int slot;
        int32_t score;
        TableKey key;
    };
    struct Opening {
        int slot;
        uint64_t boxes;
        int length;
    };
    // All that the moves of one position share.
    struct Frame {
        const KeyedLines& position;
        const Degrees& degrees;
        int open, threshold, hint;
        int best = kNone, best_slot = -1;

        bool reached() const { return best >= threshold; }
        void note(int value, int slot) {
            if (value <= best) return;
            best = value;
            best_slot = slot;
        }
    };
    static constexpr int kNone = -1000;
    static constexpr int kMaxMoves = 112;  // the lines of 7x7 boxes; 31x1 has 94
    static constexpr int kMaxOpenings = 49;
    static constexpr int kFewBoxes = 6;  // up to so many open boxes, searching costs less than looking children up
    static constexpr int32_t kHistoryLimit = 1 << 28;
    static constexpr uint64_t kCheckEvery = 1024, kAskEvery = 64 * kCheckEvery;  // nodes

    Answer solve_quiet(const LineSet& quiet) {
        const int open = num_open(quiet);
        int lower = -open, upper = open, guess = open & 1;
        while (lower < upper) {
            const int threshold = std::max(guess, lower + 2);
            guess = test(quiet, threshold);
            if (stopped_) break;
            if (guess >= threshold) {
                lower = guess;
            } else {
                upper = guess;
            }
        }
        return {lower, upper, num_nodes_};
    }

    bool must_stop() {
        if (num_nodes_ >= limits_.max_nodes) stopped_ = true;
        if (num_nodes_ % kCheckEvery == 0) {
            if (limits_.stop && limits_.stop->load(std::memory_order_relaxed)) stopped_ = true;
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
            if (spent.count() > limits_.max_seconds) stopped_ = true;
            const bool asks = limits_.interrupted && num_nodes_ % kAskEvery == kCheckEvery;
            if (asks && (*limits_.interrupted)()) stopped_ = true;
        }
        return stopped_;
    }

    // Fail-soft null window: see test(). `open` is the number of open boxes.
    int search(const KeyedLines& position, int open, int threshold) {
        threshold += (open - threshold) & 1;
        if (open < threshold) return open;
        if (-open >= threshold) return -open;
        if (must_stop()) return 0;
        ++num_nodes_;
        const Degrees degrees = planes_.degrees(position.lines);
        if (!(degrees.three | degrees.four)) return chains_value(planes_, position.lines, degrees.two);

        const TableKey key = ZobristKeys::table_key(position);
        Bounds bounds{-open, open};
        if (table_.find(key, bounds)) {
            if (bounds.lower >= threshold) return bounds.lower;
            if (bounds.upper < threshold) return bounds.upper;
        }
        const int symmetry = ZobristKeys::canonical(position);
        const uint64_t nodes_before = num_nodes_;
        const int hint = bounds.slot == Bounds::kNoSlot ? -1 : planes_.preimage(symmetry, bounds.slot);
        Frame frame{position, degrees, open, threshold, hint};
        try_moves(frame);
        if (stopped_) return 0;
        const int odd = (open - frame.best) & 1;  // bounds from double deals may lack the parity of values
        const int best = frame.reached() ? frame.best + odd : frame.best - odd;
        if (frame.reached()) {
            bounds.lower = std::max(bounds.lower, best);
        } else {
            bounds.upper = std::min(bounds.upper, best);
        }
        bounds.slot = planes_.image(symmetry, frame.best_slot);
        const uint64_t work = std::min<uint64_t>(num_nodes_ - nodes_before, UINT32_MAX);
        table_.store(key, bounds, static_cast<uint32_t>(work));
        return best;
    }

    // Until one reaches the threshold: the hint, safe lines, openings.
    void try_moves(Frame& frame) {
        std::array<Move, kMaxMoves> moves;
        std::array<Opening, kMaxOpenings> openings;
        const LineSet safe = planes_.safe(frame.position.lines, frame.degrees)
                                 .without(planes_.duplicates(frame.position.lines));
        int num_moves = list_safe(frame, safe, moves), num_openings = -1;
        if (frame.open > kFewBoxes) num_moves = look_up(frame, moves, num_moves);
        if (frame.reached()) return;
        if (frame.hint >= 0 && !safe.has(frame.hint)) {
            num_openings = list_openings(frame, openings);
            for (int i = 0; i < num_openings; ++i) {
                if (!touches(openings[i].boxes, frame.hint)) continue;
                open_chain(frame, openings[i]);
                openings[i].slot = -1;  // done
                break;
            }
            if (stopped_ || frame.reached()) return;
        }
        for (int i = 0; i < num_moves; ++i) {
            pick(moves, i, num_moves);
            draw_safe(frame, moves[i].slot);
            if (stopped_ || frame.reached()) return;
        }
        if (num_openings < 0) num_openings = list_openings(frame, openings);
        std::sort(openings.begin(), openings.begin() + num_openings,
                  [](const Opening& a, const Opening& b) { return a.length < b.length; });
        for (int i = 0; i < num_openings; ++i) {
            if (openings[i].slot < 0) continue;
            open_chain(frame, openings[i]);
            if (stopped_ || frame.reached()) return;
        }
    }

    int list_safe(const Frame& frame, const LineSet& safe, std::array<Move, kMaxMoves>& moves) {
        int number = 0;
        const bool looked_up = frame.open > kFewBoxes;
        safe.each([&](int slot) {
            Move& move = moves[number++];
            move = {slot, slot == frame.hint ? INT32_MAX : history_[slot], {}};
            if (wander_ && slot != frame.hint)
                move.score += static_cast<int32_t>(random_.below(1 + (history_[slot] >> 2)));
            if (!looked_up) return;
            move.key = zobrist_.table_key_after(frame.position, slot);
            table_.prefetch(move.key);
        });
        return number;
    }

    // Uses what the table knows of the children already, and drops those that it refutes.
    int look_up(Frame& frame, std::array<Move, kMaxMoves>& moves, int number) {
        int kept = 0;
        for (int i = 0; i < number; ++i) {
            Bounds child{};
            if (table_.find(moves[i].key, child)) {
                if (-child.upper >= frame.threshold) {
                    frame.note(-child.upper, moves[i].slot);
                    return kept;
                }
                if (-child.lower < frame.threshold) {
                    frame.note(-child.lower, moves[i].slot);
                    continue;
                }
            }
            moves[kept++] = moves[i];
        }
        return kept;
    }

    static void pick(std::array<Move, kMaxMoves>& moves, int from, int number) {
        int best = from;
        for (int i = from + 1; i < number; ++i)
            if (moves[i].score > moves[best].score) best = i;
        std::swap(moves[from], moves[best]);
    }

    void draw_safe(Frame& frame, int slot) {
        const int value = -search(zobrist_.after(frame.position, slot), frame.open, 1 - frame.threshold);
        if (stopped_) return;
        frame.note(value, slot);
        if (!frame.reached()) return;
        history_[slot] += frame.open * frame.open;
        if (history_[slot] > kHistoryLimit)
            for (int32_t& score : history_) score /= 2;
    }

    // One line of every chain and loop; of a chain of two the middle.
    int list_openings(const Frame& frame, std::array<Opening, kMaxOpenings>& openings) const {
        int number = 0;
        const LineSet& lines = frame.position.lines;
        for (uint64_t boxes = frame.degrees.two; boxes;) {
            const uint64_t chain = planes_.component(lines, boxes);
            boxes &= ~chain;
            openings[number++] = {planes_.opening(lines, chain), chain, __builtin_popcountll(chain)};
        }
        return number;
    }

    bool touches(uint64_t boxes, int slot) const { return planes_.around(boxes).has(slot); }

    // The opponent gets capture.value(rest). Where there is a double deal, that this is at most -threshold
    // takes two tests.
    void open_chain(Frame& frame, const Opening& opening) {
        LineSet opened = frame.position.lines;
        opened.remove(opening.slot);
        const Capture capture = planes_.take_all(opened, planes_.degrees(opened));
        const int open = frame.open - capture.taken, left = capture.left, least = capture.taken - left;
        if (open == 0) return frame.note(-capture.value(0), opening.slot);
        const int most = -frame.threshold - least;  // that |value of rest + left| may come to
        if (left && most < 0) return frame.note(-least, opening.slot);
        const KeyedLines rest = zobrist_.after(frame.position, capture.rest);
        const int high = left + search(rest, open, most - left + 1);
        if (stopped_) return;
        if (!left || high > most) return frame.note(-(least + high), opening.slot);
        const int low = left + search(rest, open, -most - left);
        if (stopped_) return;
        frame.note(-(least + (low < -most ? -low : std::max(std::abs(low), std::abs(high)))), opening.slot);
    }

    const BoxesPlanes& planes_;
    const ZobristKeys& zobrist_;
    SolverTable& table_;
    Random random_;
    bool wander_;  // all threads but the first disturb the order of moves, to look elsewhere
    std::array<int32_t, BoxesPlanes::kMaxSlots> history_;  // of safe lines; at first those near the centre lead
    SolverLimits limits_;
    std::chrono::steady_clock::time_point started_;
    uint64_t num_nodes_ = 0;
    bool stopped_ = false;
};

}  // namespace dotzero
