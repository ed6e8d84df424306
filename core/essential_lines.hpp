// Dots and Boxes under normal scoring: which lines can matter, for the tree search.
//
// What the solver knows of every position (boxes_planes.hpp, solver.hpp) holds for a network's search as well, since
// best play for the final margin is best for whatever grows with it. So between two nodes of a tree boxes are taken as
// long as nothing is lost by it, and a node needs no more edges than
//   - at the root, where there is a box of that kind: taking it;
//   - with other boxes on offer, which only a double deal leaves there: taking them and that double deal;
//   - else one of each set of interchangeable safe lines, and one opening of each chain or loop.
// After Barker and Korf, "Solving Dots-And-Boxes", AAAI 2012.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "boxes.hpp"
#include "boxes_planes.hpp"

namespace dotzero {

// Line numbers run row by row without gaps, planes have one bit more a row.
inline LineSet undrawn_lines(const Boxes& game, const BoxesState& state) {
    const auto open_row = [&](int first, int length) {
        const int word = first >> 6, shift = first & 63;
        uint64_t drawn = state.drawn[word] >> shift;
        if (shift + length > 64) drawn |= state.drawn[word + 1] << (64 - shift);
        return ~drawn & ((uint64_t{1} << length) - 1);
    };
    LineSet lines;
    const int stride = game.columns() + 1;
    for (int r = 0; r <= game.rows(); ++r)
        lines.across |= open_row(game.horizontal(r, 0), game.columns()) << (r * stride);
    for (int r = 0; r < game.rows(); ++r) lines.down |= open_row(game.vertical(r, 0), stride) << (r * stride);
    return lines;
}

class EssentialLines {
  public:
    explicit EssentialLines(const Boxes& game) : planes_(game.rows(), game.columns()) {}

    // Takes boxes for the player to move as long as all that could follow without them still can.
    void settle(const Boxes& game, BoxesState& state) const {
        LineSet lines = undrawn_lines(game, state);
        Degrees degrees = planes_.degrees(lines);
        if (!degrees.one) return;
        const int left = planes_.take_all(lines, degrees).left;
        for (int slot = free_capture(lines, degrees, left); slot >= 0; slot = free_capture(lines, degrees, left)) {
            game.step(state, planes_.line(slot));
            lines.remove(slot);
            degrees = planes_.degrees(lines);
        }
    }

    // Keeps one of each set of lines that are worth the same, with all of their priors, and none that is worth no more
    // than another; returns how many. `actions` are all legal ones of an unfinished position. `equals`, if given, gets
    // for every action that of its set that is kept, -1 for those that may be worth less than what is kept.
    int keep(const Boxes& game, const BoxesState& state, uint16_t* actions, float* priors, int count,
             std::vector<int16_t>* equals) const {
        const Standing stands = standing(undrawn_lines(game, state));
        std::array<float, kMaxSlots> sums{};
        float total = 0.0f;
        if (equals) equals->assign(static_cast<size_t>(game.num_lines()), -1);
        for (int i = 0; i < count; ++i) {
            const size_t slot = slot_of(actions[i]);
            const int kept = stands.by[slot];
            if (kept < 0) continue;
            sums[static_cast<size_t>(kept)] += priors[i];
            total += priors[i];
            if (equals && !stands.worse.has(static_cast<int>(slot)))
                (*equals)[actions[i]] = static_cast<int16_t>(planes_.line(kept));
        }
        int number = 0;
        for (int i = 0; i < count; ++i) {
            const size_t slot = slot_of(actions[i]);
            if (stands.by[slot] != static_cast<int>(slot)) continue;
            actions[number] = actions[i];
            priors[number++] = sums[slot];
        }
        const float even = 1.0f / static_cast<float>(number);
        for (int i = 0; i < number; ++i) priors[i] = total > 0.0f ? priors[i] / total : even;
        return number;
    }

  private:
    static constexpr int kMaxSlots = BoxesPlanes::kMaxSlots;

    // By slot: the line that stands for it, -1 for none; and those that stand there for something better.
    struct Standing {
        Standing() { by.fill(-1); }

        std::array<int16_t, kMaxSlots> by;
        LineSet worse;
    };

    size_t slot_of(int action) const { return static_cast<size_t>(planes_.slot(action)); }

    Standing standing(const LineSet& lines) const {
        const Degrees degrees = planes_.degrees(lines);
        Standing stands;
        if (!degrees.one) {
            stand_for_quiet(lines, degrees, stands);
        } else if (!stand_for_free(lines, degrees, stands)) {
            stand_for_deals(lines, degrees, stands);
        }
        return stands;
    }

    // A line that takes a box and leaves the double deal, if there is one, as cheap as it was; else -1.
    int free_capture(const LineSet& lines, const Degrees& degrees, int left) const {
        for (uint64_t ends = degrees.one; ends; ends &= ends - 1) {
            const int slot = last_side(lines, ends);
            if (is_free(lines, slot, left)) return slot;
        }
        return -1;
    }

    bool is_free(LineSet lines, int slot, int left) const {
        lines.remove(slot);
        return planes_.take_all(lines, planes_.degrees(lines)).left == left;
    }

    // Boxes that are taken for nothing; false where there are none.
    bool stand_for_free(const LineSet& lines, const Degrees& degrees, Standing& stands) const {
        const int left = planes_.take_all(lines, degrees).left;
        int16_t taking = -1;
        for (uint64_t ends = degrees.one; ends; ends &= ends - 1) {
            const int slot = last_side(lines, ends);
            if (!is_free(lines, slot, left)) continue;
            if (taking < 0) taking = static_cast<int16_t>(slot);
            stands.by[static_cast<size_t>(slot)] = taking;
        }
        return taking >= 0;
    }

    // The undrawn side of the lowest of some boxes, which has one.
    int last_side(const LineSet& lines, uint64_t boxes) const {
        return lines.among(planes_.around(boxes & (~boxes + 1))).first();
    }

    // Boxes on offer of which none is taken for nothing: take one, or draw the line that leaves just these.
    void stand_for_deals(const LineSet& lines, const Degrees& degrees, Standing& stands) const {
        const Capture capture = planes_.take_all(lines, degrees);
        const int16_t taking = static_cast<int16_t>(last_side(lines, degrees.one));
        const LineSet takes = planes_.around(degrees.one);
        int16_t dealing = -1;
        lines.each([&](int slot) {
            const auto place = static_cast<size_t>(slot);
            if (takes.has(slot)) {
                stands.by[place] = taking;
                return;
            }
            LineSet after = lines;
            after.remove(slot);
            const Capture others = planes_.take_all(after, planes_.degrees(after));
            if (!(others.rest == capture.rest) || others.taken != capture.taken) return;
            if (dealing < 0) dealing = static_cast<int16_t>(slot);
            stands.by[place] = dealing;
        });
    }

    // Nothing on offer.
    void stand_for_quiet(const LineSet& lines, const Degrees& degrees, Standing& stands) const {
        planes_.safe(lines, degrees).each([&](int slot) {
            stands.by[static_cast<size_t>(slot)] = static_cast<int16_t>(planes_.first_of_group(lines, slot));
        });
        for (uint64_t boxes = degrees.two; boxes;) {
            const uint64_t chain = planes_.component(lines, boxes);
            boxes &= ~chain;
            const auto opening = static_cast<int16_t>(planes_.opening(lines, chain));
            const LineSet middle = planes_.between(lines, chain);
            const bool pair = __builtin_popcountll(chain) == 2;  // opened at an end it can be declined
            lines.among(planes_.around(chain)).each([&](int slot) {
                stands.by[static_cast<size_t>(slot)] = opening;
                if (pair && !middle.has(slot)) stands.worse.add(slot);
            });
        }
    }

    BoxesPlanes planes_;
};

}  // namespace dotzero
