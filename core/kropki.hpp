// Kropki: the rules, one game at a time. Batches are loops over this in bindings_kropki.cpp; what a network sees
// of a game stands in kropki_encoding.hpp. The rules' text is in envs/kropki_rules.py.
//
// A dot is placed, ORed into eight neighbour masks, and its own mask says at once whether anything can have been
// closed. Runs of neighbours that hang together elsewhere (union-find, which may err on the side of "together":
// captured dots keep their sets) are walked round. Grounding is kept along with the moves where it is asked for:
// it only ever grows, as a grounded point cannot be enclosed and a path to the edge cannot be cut by a capture.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kropki_board.hpp"
#include "kropki_walk.hpp"

namespace dotzero {

// What one move encloses, for records and for drawing.
struct KropkiEnclosure {
    int player;                             // who holds it
    std::vector<int16_t> chain, interior;   // points; the chain in walking order
    int num_dots;                           // enemy dots taken
};

class Kropki {
  public:
    using State = KropkiState;
    using Record = std::vector<KropkiEnclosure>;

    explicit Kropki(const KropkiOptions& options)
        : options_(options), board_(options.width, options.height), gaps_(kropki_gaps()) {
        if (options.zone_width > 0) {
            zone_left_ = (options.width - options.zone_width) / 2;
            zone_top_ = (options.height - options.zone_height) / 2;
        }
        fill_credits();
    }

    const KropkiOptions& options() const { return options_; }
    const KropkiBoard& board() const { return board_; }
    int area() const { return board_.area(); }
    int stop_action() const { return area(); }
    int num_actions() const { return area() + 1; }
    int num_policy_slots() const { return num_actions(); }
    int policy_slot(int action) const { return action; }

    // An empty board, player 0 to move.
    State start() const {
        State s(board_.size());
        std::fill_n(s.cells(), board_.size(), cell::kBorder);
        std::fill_n(s.grounded(), board_.size(), uint8_t{1});
        for (int y = 0; y < board_.height(); ++y)
            for (int x = 0; x < board_.width(); ++x) s.cells()[board_.point(x, y)] = s.grounded()[board_.point(x, y)] = 0;
        s.num_playable = area();
        return s;
    }

    bool finished(const State& s) const { return s.finished; }
    int to_move(const State& s) const { return s.to_move; }

    // Final (or current) margin in points, komi included, seen by the player to move.
    float margin(const State& s) const { return margin_of(s, s.to_move); }
    float margin_of(const State& s, int player) const {
        return static_cast<float>(s.score[player] - s.score[player ^ 1]) + (player == 1 ? s.komi : -s.komi);
    }
    // Final margin of a player that stops now, with the grounding kept.
    float stop_margin(const State& s, int player) const {
        return margin_of(s, player) - static_cast<float>(s.stop_costs[player]);
    }

    bool is_legal(const State& s, int action) const {
        if (s.finished || action < 0 || action > stop_action()) return false;
        if (action == stop_action()) return options_.stop != KropkiStop::kOff;
        return !(s.cells()[board_.point(action)] & cell::kOccupied) && (s.num_moves >= 2 || in_zone(action));
    }

    // Writes the legal actions in ascending order and returns their number.
    int legal(const State& s, uint16_t* actions) const {
        int count = 0;
        if (s.finished) return 0;
        const bool zone = options_.zone_width > 0 && s.num_moves < 2;
        for (int y = 0, action = 0; y < board_.height(); ++y) {
            const uint8_t* const row = s.cells() + board_.point(0, y);
            for (int x = 0; x < board_.width(); ++x, ++action) {
                actions[count] = static_cast<uint16_t>(action);
                count += !(row[x] & cell::kOccupied) && (!zone || in_zone(action));
            }
        }
        if (options_.stop != KropkiStop::kOff) actions[count++] = static_cast<uint16_t>(stop_action());
        return count;
    }

    // Plays a legal action; what it encloses is told to `record` if there is one.
    void step(State& s, int action, Record* record = nullptr) const {
        s.last = {static_cast<int16_t>(action), s.last[0], s.last[1]};
        ++s.num_moves;
        if (action == stop_action()) return say_stop(s);
        const int mover = s.to_move;
        const int taken = place<true>(s, board_.point(action), KropkiScratch::local(), record);
        const bool again = s.stopped >= 0 || (options_.add_turn && taken > 0);
        s.to_move = static_cast<int8_t>(again ? mover : mover ^ 1);
        if (s.solo_left > 0) --s.solo_left;
        s.finished = s.num_playable == 0 || s.solo_left == 0 || has_won_at_once(s);
    }

    // Puts a dot of the player to move on a playable point, with all that follows but the change of turn.
    // Returns how many enemy dots it captured.
    template <bool kGrounding>
    [[gnu::always_inline]] int place(State& s, int point, KropkiScratch& t, Record* record = nullptr) const {
        const int mover = s.to_move, enemy = mover ^ 1;
        uint8_t* const cells = s.cells();
        const bool is_safe = options_.last_safe && s.num_playable == 1;  // the very last dot
        const bool entered = cells[point] & cell::house(enemy) && !is_safe;
        cells[point] = cell::live(mover) | cell::placed(mover);
        --s.num_playable;
        add_to_masks(s.near(mover), point);
        if constexpr (kGrounding) add_owned(s, point, mover), ground_if_linked(s, point, mover, t);
        link(s, point, mover, t);
        if (t.num_regions == 0 && !entered && !options_.owner_turn) return 0;  // most moves end here
        return settle<kGrounding>(s, point, entered, t, record);
    }

    // The game from its visible parts: everything else is worked out. `cells` [area].
    void load(State& s, const uint8_t* cells) const {
        KropkiScratch& t = KropkiScratch::local();
        for (int a = 0; a < area(); ++a) {
            const uint8_t value = cells[a];
            const int point = board_.point(a);
            s.cells()[point] = value;
            s.num_playable -= (value & cell::kOccupied) != 0;
            if (value & cell::kHeld) add_credit(s, value & cell::held(0) ? 0 : 1, value, 1);
        }
        for (int a = 0; a < area(); ++a) {
            const int point = board_.point(a);
            for (int player = 0; player < 2; ++player)
                if (s.cells()[point] & cell::live(player)) {
                    add_to_masks(s.near(player), point);
                    join(s, point, player);
                }
        }
        for (int a = 0; a < area(); ++a)
            for (int player = 0; player < 2; ++player)
                if (s.cells()[board_.point(a)] & cell::owned(player)) add_owned(s, board_.point(a), player);
        for (int a = 0; a < area(); ++a)
            for (int player = 0; player < 2; ++player)
                if (s.cells()[board_.point(a)] & cell::owned(player)) ground_if_linked(s, board_.point(a), player, t);
    }

    // House marks by definition: free points (and live enemy dots) whose region does not reach the edge.
    void mark_houses(State& s) const {
        uint8_t* const cells = s.cells();
        for (int a = 0; a < area(); ++a) cells[board_.point(a)] &= static_cast<uint8_t>(~cell::kHouse);
        if (options_.capture_empty) return;
        KropkiScratch& t = KropkiScratch::local();
        for (int player = 0; player < 2; ++player) {
            t.clear_marks();
            t.queue.clear();
            for (int a = 0; a < area(); ++a)
                if (board_.edge(board_.point(a))) visit(t, cells, board_.point(a), cell::live(player), t.queue);
            flood(t, cells, cell::live(player), t.queue);
            for (int a = 0; a < area(); ++a) {
                const int point = board_.point(a);
                const bool shut = !(cells[point] & (cell::live(player) | cell::kHeld)) && t.mark(point);
                if (shut) cells[point] |= cell::house(player);
            }
        }
    }

    // The regions that a dot of `player` on `point` (already on the board) shuts in, into scratch.regions; roots
    // are those of the runs of its neighbours.
    void find_regions(const State& s, int point, int player, const std::array<int, 4>& roots, KropkiScratch& t) const {
        const KropkiGaps& gaps = gaps_[s.near(player)[point]];
        t.num_regions = 0;
        for (int i = 0, seen = 0; i < gaps.count; ++i) {
            if (seen >> i & 1) continue;
            std::array<int, 4> sectors{};
            int num_sectors = 0;
            for (int j = i; j < gaps.count; ++j)
                if (roots[j] == roots[i]) sectors[num_sectors++] = j, seen |= 1 << j;
            if (num_sectors > 1) walk_sectors(s, point, player, gaps, sectors, num_sectors, t);
        }
    }

    int find(int16_t* sets, int point) const {
        while (sets[point] != point) {
            sets[point] = sets[sets[point]];
            point = sets[point];
        }
        return point;
    }

    // The roots of the runs of neighbours of a dot; true if two of them are the same.
    bool find_roots(State& s, int point, const KropkiGaps& gaps, std::array<int, 4>& roots) const {
        bool shared = false;
        for (int i = 0; i < gaps.count; ++i) {
            roots[i] = find(s.sets(), point + board_.offset(gaps.run[i]));
            for (int j = 0; j < i; ++j) shared |= roots[i] == roots[j];
        }
        return shared;
    }

    // An enemy dot that the player does not hold yet.
    static bool is_prey(uint8_t value, int player) {
        return cell::dot(value) == 2 - player && !(value & cell::held(player));
    }

    const KropkiGaps& gaps(uint8_t mask) const { return gaps_[mask]; }

    // Each neighbour of a dot learns, or forgets, in which direction it lies: three bytes of three rows.
    void add_to_masks(uint8_t* near, int point) const {
        const int row = board_.stride();
        change_word(near + point - row - 1, [](uint32_t word) { return word | kAbove; });
        change_word(near + point - 1, [](uint32_t word) { return word | kBeside; });
        change_word(near + point + row - 1, [](uint32_t word) { return word | kBelow; });
    }
    void remove_from_masks(uint8_t* near, int point) const {
        const int row = board_.stride();
        change_word(near + point - row - 1, [](uint32_t word) { return word & ~kAbove; });
        change_word(near + point - 1, [](uint32_t word) { return word & ~kBeside; });
        change_word(near + point + row - 1, [](uint32_t word) { return word & ~kBelow; });
    }

  private:
    // A dot as its neighbours to the left, straight and to the right see it: one byte each, lowest first (all
    // supported processors are little-endian).
    static constexpr uint32_t kAbove = 0x080402, kBeside = 0x100001, kBelow = 0x204080;

    template <class Change>
    static void change_word(uint8_t* at, Change change) {
        uint32_t word;
        std::memcpy(&word, at, sizeof word);
        word = change(word);
        std::memcpy(at, &word, sizeof word);
    }

    bool in_zone(int action) const {
        if (options_.zone_width == 0) return true;
        const int x = action % board_.width() - zone_left_, y = action / board_.width() - zone_top_;
        return x >= 0 && x < options_.zone_width && y >= 0 && y < options_.zone_height;
    }

    bool has_won_at_once(const State& s) const {
        return options_.instant_win > 0 && std::abs(s.score[0] - s.score[1]) >= options_.instant_win;
    }

    // --- scores and grounding ---

    // credits_[holder][dot][player]: what a closed point adds to a player's score. stop_costs_[player][closed][dot]:
    // what the margin of its owner falls by if the point goes to the opponent.
    void fill_credits() {
        for (int holder = 0; holder < 2; ++holder)
            for (int dot = 0; dot < 3; ++dot) {
                const bool own = dot == holder + 1, is_empty = dot == 0;
                credits_[holder][dot][holder] = options_.territory ? !own : !own && !is_empty;
                credits_[holder][dot][holder ^ 1] = options_.punish && own;
            }
        for (int player = 0; player < 2; ++player)
            for (int dot = 0; dot < 3; ++dot) {
                const auto& now = credits_[player][dot];
                const auto& then = credits_[player ^ 1][dot];
                const int lost = then[player ^ 1] - then[player];
                stop_costs_[player][0][dot] = static_cast<int16_t>(lost);
                stop_costs_[player][1][dot] = static_cast<int16_t>(lost + now[player] - now[player ^ 1]);
            }
    }

    void add_credit(State& s, int holder, uint8_t value, int sign) const {
        for (int player = 0; player < 2; ++player)
            s.score[player] = static_cast<int16_t>(s.score[player] + sign * credits_[holder][cell::dot(value)][player]);
    }

    // Counts an owned point as one that is not grounded (sign 1) or takes that back (-1).
    void count_loose(State& s, int point, int player, int sign) const {
        const uint8_t value = s.cells()[point];
        const int dot = cell::dot(value), closed = (value & cell::kHeld) != 0;
        s.num_loose[player] = static_cast<int16_t>(s.num_loose[player] + (dot != 0 ? sign : 0));
        s.stop_costs[player] = static_cast<int16_t>(s.stop_costs[player] + sign * stop_costs_[player][closed][dot]);
    }

    void add_owned(State& s, int point, int player) const {
        s.grounded()[point] = 0;
        count_loose(s, point, player, 1);
    }

    // Grounds a point of the player, and all that hangs on it, if a neighbour is the edge or grounded.
    void ground_if_linked(State& s, int point, int player, KropkiScratch& t) const {
        const uint8_t* const cells = s.cells();
        uint8_t* const grounded = s.grounded();
        if (grounded[point]) return;
        bool linked = false;
        for (int d = 0; d < 8; d += 2) {
            const int beside = point + board_.offset(d);
            linked |= (cells[beside] & cell::owned(player)) && grounded[beside];  // the border is everybody's
        }
        if (!linked) return;
        std::vector<int16_t>& queue = t.queue;
        queue.assign(1, static_cast<int16_t>(point));
        grounded[point] = 1;
        for (size_t i = 0; i < queue.size(); ++i) {
            count_loose(s, queue[i], player, -1);
            for (int d = 0; d < 8; d += 2) {
                const int beside = queue[i] + board_.offset(d);
                if (!(cells[beside] & cell::owned(player)) || grounded[beside]) continue;
                grounded[beside] = 1;
                queue.push_back(static_cast<int16_t>(beside));
            }
        }
    }

    // --- linking and walking ---

    // Joins a dot with its live neighbours; the regions that it shuts in come into scratch.regions.
    [[gnu::always_inline]] void link(State& s, int point, int player, KropkiScratch& t) const {
        int16_t* const sets = s.sets();
        const uint8_t mask = s.near(player)[point];
        sets[point] = static_cast<int16_t>(point);
        t.num_regions = 0;
        if (mask == 0) return;
        const KropkiGaps& gaps = gaps_[mask];
        if (gaps.count < 2) {
            sets[point] = sets[point + board_.offset(__builtin_ctz(mask))];  // any dot of the set will do
            return;
        }
        std::array<int, 4> roots{};
        if (find_roots(s, point, gaps, roots)) find_regions(s, point, player, roots, t);
        for (int i = 0; i < gaps.count; ++i) sets[roots[i]] = static_cast<int16_t>(roots[0]);
        sets[point] = static_cast<int16_t>(roots[0]);
    }

    // Joins a dot with its live neighbours and asks no more.
    void join(State& s, int point, int player) const {
        int16_t* const sets = s.sets();
        sets[point] = static_cast<int16_t>(point);
        for (unsigned left = s.near(player)[point]; left; left &= left - 1) {
            const int beside = point + board_.offset(__builtin_ctz(left));
            sets[find(sets, beside)] = static_cast<int16_t>(find(sets, point));
        }
    }

    void walk_sectors(const State& s, int point, int player, const KropkiGaps& gaps, const std::array<int, 4>& sectors,
                      int num_sectors, KropkiScratch& t) const {
        const uint8_t* const near = s.near(player);
        int num_enclosed = 0, num_going = 0;
        std::array<bool, 4> going{};
        for (int k = 0; k < num_sectors; ++k) {
            const auto gap = static_cast<size_t>(sectors[k]);
            going[k] = !(gaps.dirs[gap] & board_.edge(point));
            num_going += going[k];
            if (going[k]) t.contours[gap].begin(point, gaps.next[gap]);
        }
        for (int steps = 8; num_going > 0 && num_enclosed < num_sectors - 1; steps *= 2)
            for (int k = 0; k < num_sectors && num_enclosed < num_sectors - 1; ++k) {
                const auto gap = static_cast<size_t>(sectors[k]);
                if (!going[k] || !t.contours[gap].walk(board_, near, steps)) continue;
                going[k] = false;
                --num_going;
                if (!t.contours[gap].encloses()) continue;
                ++num_enclosed;
                add_region(s, point + board_.offset(gaps.open[gap]), player, t.contours[gap], t);
            }
    }

    void add_region(const State& s, int inside, int player, const KropkiContour& contour, KropkiScratch& t) const {
        KropkiRegion& region = t.regions[static_cast<size_t>(t.num_regions++)];
        region.contour = &contour;
        find_points(s, inside, player, region, t);
    }

    // K: the points 4-connected to `inside` that are not live dots of the player. It must be shut in.
    void find_points(const State& s, int inside, int player, KropkiRegion& region, KropkiScratch& t) const {
        const uint8_t* const cells = s.cells();
        t.clear_marks();
        region.points.clear();
        region.num_enemies = region.num_playable = 0;
        visit(t, cells, inside, cell::live(player), region.points);
        flood(t, cells, cell::live(player), region.points);
        for (const int16_t point : region.points) {
            region.num_enemies += is_prey(cells[point], player);
            region.num_playable += !(cells[point] & cell::kOccupied);
        }
    }

    static void visit(KropkiScratch& t, const uint8_t* cells, int point, uint8_t walls, std::vector<int16_t>& points) {
        if (cells[point] == cell::kBorder || cells[point] & walls || !t.mark(point)) return;
        points.push_back(static_cast<int16_t>(point));
    }

    void flood(KropkiScratch& t, const uint8_t* cells, uint8_t walls, std::vector<int16_t>& points) const {
        for (size_t i = 0; i < points.size(); ++i)
            for (int d = 0; d < 8; d += 2) visit(t, cells, points[i] + board_.offset(d), walls, points);
    }

    // --- what a dot brings about ---

    template <bool kGrounding>
    int settle(State& s, int point, bool entered, KropkiScratch& t, Record* record) const {
        const int mover = s.to_move, enemy = mover ^ 1;
        uint8_t* const cells = s.cells();
        std::sort(t.regions.begin(), t.regions.begin() + t.num_regions,
                  [](const KropkiRegion& a, const KropkiRegion& b) { return a.points.size() < b.points.size(); });
        if (entered && t.num_regions > 0) find_points(s, point, enemy, t.house, t);  // as it is before a capture
        int taken = 0;
        for (int i = 0; i < t.num_regions; ++i) {
            KropkiRegion& region = t.regions[static_cast<size_t>(i)];
            region.num_enemies = 0;  // one before may have taken them
            for (const int16_t inside : region.points) region.num_enemies += is_prey(cells[inside], mover);
            if (region.num_enemies > 0 || (options_.capture_empty && region.num_playable > 0))
                taken += capture<kGrounding>(s, region, mover, t, record);
        }
        for (int i = 0; i < t.num_regions; ++i)
            for (const int16_t inside : t.regions[static_cast<size_t>(i)].points)
                if (!(cells[inside] & cell::kOccupied)) cells[inside] |= cell::house(mover);
        if (options_.owner_turn) {
            taken += close_houses<kGrounding>(s, mover, t, record);
            mark_houses(s);
        } else if (entered && taken == 0) {
            enter_house<kGrounding>(s, point, enemy, t, record);
        } else if (entered) {
            for (const int16_t inside : t.house.points) cells[inside] &= static_cast<uint8_t>(~cell::house(enemy));
        }
        return taken;
    }

    // The owner takes the minimal part of its house round `point`. Returns the dots taken.
    template <bool kGrounding>
    int enter_house(State& s, int point, int owner, KropkiScratch& t, Record* record) const {
        find_points(s, point, owner, t.house, t);
        const int top = *std::min_element(t.house.points.begin(), t.house.points.end());
        const int wall = top - board_.stride();  // a live dot of the owner: nothing of the region is above `top`
        const unsigned own = (s.near(owner)[wall] * 0x101u) >> 2;  // from the region below clockwise
        assert(s.cells()[wall] & cell::live(owner));
        t.around.begin(wall, (2 + __builtin_ctz(own)) & 7);
        t.around.walk(board_, s.near(owner), std::numeric_limits<int>::max());
        assert(t.around.encloses());
        t.house.contour = &t.around;
        return capture<kGrounding>(s, t.house, owner, t, record);
    }

    // house_closes=owner_turn: what the enemy has entered falls now.
    template <bool kGrounding>
    int close_houses(State& s, int owner, KropkiScratch& t, Record* record) const {
        int taken = 0;
        const uint8_t pending = cell::live(owner ^ 1) | cell::house(owner);
        for (int a = 0; a < area(); ++a) {
            const int point = board_.point(a);
            if ((s.cells()[point] & pending) == pending)
                taken += enter_house<kGrounding>(s, point, owner, t, record);
        }
        return taken;
    }

    // Closes everything inside the chain round a region. Returns the enemy dots taken.
    template <bool kGrounding>
    int capture(State& s, const KropkiRegion& region, int player, KropkiScratch& t, Record* record) const {
        uint8_t* const cells = s.cells();
        if (options_.holes)  // houses elsewhere inside stay open, those of the region itself do not
            for (const int16_t point : region.points) cells[point] &= static_cast<uint8_t>(~cell::house(player));
        t.cut_chain(board_, *region.contour, s.near(player));
        t.clear_marks();
        for (const int16_t point : t.chain) t.mark(point);
        t.interior.clear();
        visit(t, cells, region.points[0], 0, t.interior);
        flood(t, cells, 0, t.interior);
        if (options_.holes) {
            const auto is_hole = [&](int16_t point) {
                return !(cells[point] & cell::kOccupied) && cells[point] & cell::house(player);
            };
            t.interior.erase(std::remove_if(t.interior.begin(), t.interior.end(), is_hole), t.interior.end());
        }
        int taken = 0;
        for (const int16_t point : t.interior) taken += close<kGrounding>(s, point, player);
        if constexpr (kGrounding)
            for (const int16_t point : t.interior) ground_if_linked(s, point, player, t);
        if (record) record->push_back({player, t.chain, t.interior, taken});
        return taken;
    }

    // Closes one point for the player. Returns 1 if it takes an enemy dot.
    template <bool kGrounding>
    int close(State& s, int point, int player) const {
        uint8_t& value = s.cells()[point];
        const uint8_t before = value;
        if constexpr (kGrounding)
            for (int owner = 0; owner < 2; ++owner)
                if (before & cell::owned(owner) && !s.grounded()[point]) count_loose(s, point, owner, -1);
        for (int owner = 0; owner < 2; ++owner) {
            if (before & cell::live(owner)) remove_from_masks(s.near(owner), point);
            if (before & cell::held(owner)) add_credit(s, owner, before, -1);
        }
        value = static_cast<uint8_t>((before & cell::kPlaced) | cell::held(player));
        add_credit(s, player, value, 1);
        s.num_playable -= !(before & cell::kOccupied);
        if constexpr (kGrounding) {
            if (!(before & cell::owned(player)) || !s.grounded()[point]) add_owned(s, point, player);
        }
        return is_prey(before, player);
    }

    void say_stop(State& s) const {
        const int mover = s.to_move, other = mover ^ 1;
        s.to_move = static_cast<int8_t>(other);
        if (s.stopped >= 0) {  // the end of a solo phase
            s.finished = true;
            return;
        }
        s.stopped = static_cast<int8_t>(mover);
        if (options_.stop == KropkiStop::kSolo) {
            s.solo_left = options_.solo_moves;
            return;
        }
        for (int a = 0; a < area(); ++a) {
            const int point = board_.point(a);
            if (s.cells()[point] & cell::owned(mover) && !s.grounded()[point]) close<true>(s, point, other);
        }
        mark_houses(s);
        s.finished = true;
    }

    KropkiOptions options_;
    KropkiBoard board_;
    const std::array<KropkiGaps, 256>& gaps_;
    int zone_left_ = 0, zone_top_ = 0;
    std::array<std::array<std::array<int8_t, 2>, 3>, 2> credits_{};
    std::array<std::array<std::array<int16_t, 3>, 2>, 2> stop_costs_{};
};

}  // namespace dotzero
