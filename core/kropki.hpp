// Kropki: the rules, one game at a time. Batches are loops over this in bindings_kropki.cpp; what a network sees
// of a game stands in kropki_encoding.hpp. The rules' text is in envs/kropki_rules.py.
//
// The layers below: kropki_board.hpp (cells and state), kropki_walk.hpp (contours), kropki_scores.hpp (scores and
// grounding), kropki_links.hpp (which regions a dot shuts in). Here is what follows from that: captures, houses,
// turns and the end of the game.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kropki_board.hpp"
#include "kropki_links.hpp"
#include "kropki_walk.hpp"

namespace dotzero {

// What one move encloses, for records and for drawing.
struct KropkiEnclosure {
    int player;                             // who holds it
    std::vector<int16_t> chain, interior;   // points; the chain in walking order
    int num_dots;                           // enemy dots taken
};

class Kropki : public KropkiLinks {
  public:
    using State = KropkiState;
    using Record = std::vector<KropkiEnclosure>;

    explicit Kropki(const KropkiOptions& options)
        : KropkiLinks(options), zone_left_((options.width - options.zone_width) / 2),
          zone_top_((options.height - options.zone_height) / 2) {}

    int stop_action() const { return area(); }
    int num_actions() const { return area() + 1; }
    int num_policy_slots() const { return num_actions(); }
    int policy_slot(int action) const { return action; }

    // An empty board, player 0 to move.
    State start() const {
        State s(board().size());
        std::fill_n(s.cells(), board().size(), cell::kBorder);
        std::fill_n(s.grounded(), board().size(), uint8_t{1});
        for (int y = 0; y < board().height(); ++y)
            for (int x = 0; x < board().width(); ++x) s.cells()[board().point(x, y)] = s.grounded()[board().point(x, y)] = 0;
        s.num_playable = area();
        return s;
    }

    bool finished(const State& s) const { return s.finished; }
    int to_move(const State& s) const { return s.to_move; }

    // Final (or current) margin in points, komi included, seen by the player to move.
    float margin(const State& s) const { return margin_of(s, s.to_move); }

    // Whether the move must lie in the opening zone.
    bool zone_binds(const State& s) const { return options().zone_width > 0 && s.num_moves < 2; }

    bool is_legal(const State& s, int action) const {
        if (s.finished || action < 0 || action > stop_action()) return false;
        if (action == stop_action()) return options().stop != KropkiStop::kOff;
        return !(s.cells()[board().point(action)] & cell::kOccupied) && (!zone_binds(s) || in_zone(action));
    }

    // Writes the legal actions in ascending order and returns their number.
    int legal(const State& s, uint16_t* actions) const {
        int count = 0;
        if (s.finished) return 0;
        const bool zone = zone_binds(s);
        for (int y = 0, action = 0; y < board().height(); ++y) {
            const uint8_t* const row = s.cells() + board().point(0, y);
            for (int x = 0; x < board().width(); ++x, ++action) {
                actions[count] = static_cast<uint16_t>(action);
                count += !(row[x] & cell::kOccupied) && (!zone || in_zone(action));
            }
        }
        if (options().stop != KropkiStop::kOff) actions[count++] = static_cast<uint16_t>(stop_action());
        return count;
    }

    // Plays a legal action; what it encloses is told to `record` if there is one.
    void step(State& s, int action, Record* record = nullptr) const {
        s.last = {static_cast<int16_t>(action), s.last[0], s.last[1]};
        if (action == stop_action()) {
            ++s.num_moves;
            return say_stop(s);
        }
        play<true>(s, board().point(action), KropkiScratch::local(), record);
    }

    // Plays a dot on a playable point, with the change of turn and the end of the game; `last` is left as it was, and
    // without kGrounding so is all that follows from grounding. Returns how many enemy dots it captured.
    template <bool kGrounding>
    int play(State& s, int point, KropkiScratch& t, Record* record = nullptr) const {
        ++s.num_moves;
        const int mover = s.to_move;
        const int taken = place<kGrounding>(s, point, t, record);
        const bool again = s.stopped >= 0 || (options().add_turn && taken > 0);
        s.to_move = static_cast<int8_t>(again ? mover : mover ^ 1);
        if (s.solo_left > 0) --s.solo_left;
        s.finished = s.num_playable == 0 || s.solo_left == 0 || has_won_at_once(s);
        return taken;
    }

    // Puts a dot of the player to move on a playable point, with all that follows but the change of turn.
    // Returns how many enemy dots it captured.
    template <bool kGrounding>
    [[gnu::always_inline]] int place(State& s, int point, KropkiScratch& t, Record* record = nullptr) const {
        const int mover = s.to_move, enemy = mover ^ 1;
        uint8_t* const cells = s.cells();
        const bool is_safe = options().last_safe && s.num_playable == 1;  // the very last dot
        const bool in_house = cells[point] & cell::house(enemy), entered = in_house && !is_safe;
        cells[point] = cell::live(mover) | cell::placed(mover);
        --s.num_playable;
        add_to_masks(s.near(mover), point);
        if constexpr (kGrounding) add_owned(s, point, mover), ground_if_linked(s, point, mover, t);
        link(s, point, mover, t);
        if (t.num_regions == 0 && !in_house && !has_visitors(s, mover)) return 0;  // most moves end here
        return settle<kGrounding>(s, point, entered, t, record);
    }

    // The game from its visible parts: everything else is worked out. `cells` [area]. Most points of most games are
    // free, so only the others are looked at more than once.
    void load(State& s, const uint8_t* cells) const {
        KropkiScratch& t = KropkiScratch::local();
        std::array<int16_t, KropkiBoard::kMaxSize> taken;
        int num_taken = 0;
        for (int y = 0; y < board().height(); ++y)
            for (int x = 0, point = board().point(0, y); x < board().width(); ++x, ++point, ++cells) {
                s.cells()[point] = *cells;
                taken[static_cast<size_t>(num_taken)] = static_cast<int16_t>(point);
                num_taken += (*cells & cell::kOccupied) != 0;
            }
        s.num_playable -= num_taken;
        for (auto point = taken.begin(); point != taken.begin() + num_taken; ++point) {
            const uint8_t value = s.cells()[*point];
            if (value & cell::kHeld) add_credit(s, value & cell::held(0) ? 0 : 1, value, 1);
            if (!(value & cell::kLive)) continue;
            const int player = value & cell::live(0) ? 0 : 1;
            add_to_masks(s.near(player), *point);
            join(s, *point, player);
        }
        for (auto point = taken.begin(); point != taken.begin() + num_taken; ++point)
            add_owned(s, *point, cell::owner(s.cells()[*point]));
        for (auto point = taken.begin(); point != taken.begin() + num_taken; ++point)
            ground_if_linked(s, *point, cell::owner(s.cells()[*point]), t);
    }

    // House marks by definition: free points, and enemy dots that wait for the owner's turn, whose region does not
    // reach the edge.
    void mark_houses(State& s) const {
        uint8_t* const cells = s.cells();
        for (int a = 0; a < area(); ++a) cells[board().point(a)] &= static_cast<uint8_t>(~cell::kHouse);
        if (options().capture_empty) return;
        KropkiScratch& t = KropkiScratch::local();
        for (int player = 0; player < 2; ++player) {
            t.clear_marks();
            t.queue.clear();
            for (int a = 0; a < area(); ++a)
                if (board().edge(board().point(a))) visit(t, cells, board().point(a), cell::live(player), t.queue);
            flood(t, cells, cell::live(player), t.queue);
            for (int a = 0; a < area(); ++a) {
                const int point = board().point(a);
                const bool counts = !(cells[point] & cell::kOccupied) ||
                                    (options().owner_turn && cells[point] & cell::live(player ^ 1));
                if (counts && t.mark(point)) cells[point] |= cell::house(player);
            }
        }
    }

  private:
    bool in_zone(int action) const {
        const int x = action % board().width() - zone_left_, y = action / board().width() - zone_top_;
        return x >= 0 && x < options().zone_width && y >= 0 && y < options().zone_height;
    }

    bool has_won_at_once(const State& s) const {
        return options().instant_win > 0 && std::abs(s.score[0] - s.score[1]) >= options().instant_win;
    }

    // house_closes=owner_turn: whether an enemy dot waits in a house of the player.
    bool has_visitors(const State& s, int owner) const {
        if (!options().owner_turn) return false;
        const uint8_t pending = cell::live(owner ^ 1) | cell::house(owner);
        unsigned found = 0;
        for (int point = 0; point < board().size(); ++point) found |= (s.cells()[point] & pending) == pending;
        return found != 0;
    }

    template <bool kGrounding>
    int settle(State& s, int point, bool entered, KropkiScratch& t, Record* record) const {
        const int mover = s.to_move, enemy = mover ^ 1;
        uint8_t* const cells = s.cells();
        std::array<KropkiRegion*, 4> regions{&t.regions[0], &t.regions[1], &t.regions[2], &t.regions[3]};
        for (int i = 1; i < t.num_regions; ++i)  // smallest first
            for (int j = i; j > 0 && regions[j]->points.size() < regions[j - 1]->points.size(); --j)
                std::swap(regions[j], regions[j - 1]);
        if (entered && t.num_regions > 0) find_points(s, point, enemy, t.house, t);  // as it is before a capture
        int taken = 0;
        for (int i = 0; i < t.num_regions; ++i) {
            KropkiRegion& region = *regions[static_cast<size_t>(i)];
            count(s, mover, region);  // one before may have taken what it holds
            if (region.num_enemies > 0 || (options().capture_empty && region.num_playable > 0))
                taken += capture<kGrounding>(s, region, mover, t, record);
        }
        for (int i = 0; i < t.num_regions; ++i)
            for (const int16_t inside : t.regions[static_cast<size_t>(i)].points)
                if (!(cells[inside] & cell::kOccupied)) cells[inside] |= cell::house(mover);
        if (options().owner_turn) {
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
        const int wall = top - board().stride();  // a live dot of the owner: nothing of the region is above `top`
        const unsigned own = (s.near(owner)[wall] * 0x101u) >> 2;  // from the region below clockwise
        // Marks that a caller made up may stand where no house is.
        if (!(s.cells()[wall] & cell::live(owner)) || own == 0) return 0;
        t.around.begin(wall, (2 + __builtin_ctz(own)) & 7);
        t.around.walk(board(), s.near(owner), std::numeric_limits<int>::max());
        if (!t.around.encloses()) return 0;
        t.house.contour = &t.around;
        return capture<kGrounding>(s, t.house, owner, t, record);
    }

    // house_closes=owner_turn: what the enemy has entered falls now.
    template <bool kGrounding>
    int close_houses(State& s, int owner, KropkiScratch& t, Record* record) const {
        int taken = 0;
        const uint8_t pending = cell::live(owner ^ 1) | cell::house(owner);
        for (int a = 0; a < area(); ++a) {
            const int point = board().point(a);
            if ((s.cells()[point] & pending) == pending)
                taken += enter_house<kGrounding>(s, point, owner, t, record);
        }
        return taken;
    }

    // Closes everything inside the chain round a region. Returns the enemy dots taken.
    template <bool kGrounding>
    int capture(State& s, const KropkiRegion& region, int player, KropkiScratch& t, Record* record) const {
        uint8_t* const cells = s.cells();
        if (options().holes)  // houses elsewhere inside stay open, those of the region itself do not
            for (const int16_t point : region.points) cells[point] &= static_cast<uint8_t>(~cell::house(player));
        t.cut_chain(board(), *region.contour, s.near(player));
        t.clear_marks();
        for (const int16_t point : t.chain) t.mark(point);
        t.interior.clear();
        visit(t, cells, region.points[0], 0, t.interior);
        flood(t, cells, 0, t.interior);
        if (options().holes) leave_holes(s, player, t);
        int taken = 0;
        for (const int16_t point : t.interior) taken += close<kGrounding>(s, point, player);
        if constexpr (kGrounding)
            for (const int16_t point : t.interior) ground_if_linked(s, point, player, t);
        if (record) record->push_back({player, {t.chain.begin(), t.chain.end()}, {t.interior.begin(), t.interior.end()}, taken});
        return taken;
    }

    // holes: takes the points of older houses out of the interior, but not of those with a visitor inside.
    void leave_holes(State& s, int player, KropkiScratch& t) const {
        uint8_t* const cells = s.cells();
        const uint8_t pending = cell::live(player ^ 1) | cell::house(player);
        for (const int16_t point : t.interior) {
            if ((cells[point] & pending) != pending) continue;
            find_points(s, point, player, t.visited, t);
            for (const int16_t inside : t.visited.points) cells[inside] &= static_cast<uint8_t>(~cell::house(player));
        }
        const auto is_hole = [&](int16_t point) {
            return !(cells[point] & cell::kOccupied) && cells[point] & cell::house(player);
        };
        const int16_t* const last = std::remove_if(t.interior.begin(), t.interior.end(), is_hole);
        t.interior.resize(static_cast<size_t>(last - t.interior.begin()));
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
        if (options().stop == KropkiStop::kSolo) {
            s.solo_left = options().solo_moves;
            return;
        }
        KropkiScratch& t = KropkiScratch::local();
        t.interior.clear();
        for (int a = 0; a < area(); ++a) {
            const int point = board().point(a);
            if (s.cells()[point] & cell::owned(mover) && !s.grounded()[point]) t.interior.push_back(point);
        }
        for (const int16_t point : t.interior) close<true>(s, point, other);
        for (const int16_t point : t.interior) ground_if_linked(s, point, other, t);
        mark_houses(s);
        s.finished = true;
    }

    int zone_left_, zone_top_;
};

}  // namespace dotzero
