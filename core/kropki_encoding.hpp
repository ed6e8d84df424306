// Kropki: what a network sees of a game, and the tactics that this takes: what one dot of either player would
// capture now. The meaning of every bit and number stands in envs/kropki.py.
//
// Only a point with two runs of neighbours that hang together elsewhere can capture. Such a dot is put on the
// board, its regions are found as in a real move, and it is taken off again.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "kropki.hpp"

namespace dotzero {

class KropkiGame : public Kropki {
  public:
    static constexpr int kPointBytes = 3;
    static constexpr bool kHasImages = false;  // see search.hpp
    static constexpr bool kHasEssentials = false;
    static constexpr int kNumGlobals = 21;

    using Kropki::Kropki;

    int observation_bytes() const { return kPointBytes * area(); }
    int num_globals() const { return kNumGlobals; }
    bool solved(const State&, float&) const { return false; }  // see search.hpp
    void forget_interruption() const {}

    // What one dot of `player` would capture now, by point of the padded board. All of it is set.
    struct Captures {
        std::array<int16_t, KropkiBoard::kMaxSize> gains;  // enemy dots that a dot here would take
        std::array<uint8_t, KropkiBoard::kMaxSize> here;   // 1 where that is one or more, 3 where it is many
        std::array<uint8_t, KropkiBoard::kMaxSize> prey;   // 1 on the dots that some dot would take
    };

    // Dots are tried on the game itself, which is afterwards as it was.
    void find_captures(State& s, int player, Captures& found) const {
        const auto size = static_cast<size_t>(board().size());
        std::fill_n(found.gains.begin(), size, int16_t{0});
        std::fill_n(found.here.begin(), size, uint8_t{0});
        std::fill_n(found.prey.begin(), size, uint8_t{0});
        if (s.finished) return;
        KropkiScratch& t = KropkiScratch::local();
        const uint8_t* const cells = s.cells();
        const uint8_t* const near = s.near(player);
        for (int y = 0; y < board().height(); ++y)
            for (int x = 0, point = board().point(0, y); x < board().width(); ++x, ++point)
                if (!(cells[point] & cell::kOccupied) && gaps(near[point]).count >= 2 && try_dot(s, point, player, t))
                    note_captures(cells, point, player, t, found);
    }

    // `points` [3, height, width], `globals` [kNumGlobals], both for the player to move.
    void observe(const State& s, uint8_t* points, float* globals) const {
        static thread_local State scratch_copy;
        static thread_local std::array<Captures, 2> scratch_captures;
        State& copy = scratch_copy;
        std::array<Captures, 2>& captures = scratch_captures;
        copy = s;
        for (size_t player = 0; player < 2; ++player) find_captures(copy, static_cast<int>(player), captures[player]);
        for (int y = 0; y < board().height(); ++y) observe_row(s, y, captures[s.to_move], captures[s.to_move ^ 1], points);
        for (size_t i = 0; i < s.last.size(); ++i)
            if (s.last[i] >= 0 && s.last[i] < area()) points[2 * area() + s.last[i]] |= static_cast<uint8_t>(1 << i);
        describe(s, globals);
    }

    // 3 finished; 2 in a solo phase; 0 while the opening zone binds; else 1.
    int phase(const State& s) const { return s.finished ? 3 : s.stopped >= 0 ? 2 : zone_binds(s) ? 0 : 1; }

    // The player who has won, or would still win by stopping at once with grounding; -1 for nobody.
    int decided(const State& s) const {
        for (int player = 0; player < 2; ++player)
            if (s.finished ? margin_of(s, player) > 0
                           : options().stop == KropkiStop::kGrounding && stop_margin(s, player) > 0)
                return player;
        return -1;
    }

  private:
    static constexpr int kLargeCapture = 3;

    // A visitor that waits in the player's own house for its owner's turn falls whatever the player does: it is
    // no prey of any one dot.
    void note_captures(const uint8_t* cells, int point, int player, const KropkiScratch& t, Captures& found) const {
        int gain = 0;
        for (int i = 0; i < t.num_regions; ++i) {
            const KropkiRegion& region = t.regions[static_cast<size_t>(i)];
            if (region.num_enemies == 0) continue;
            for (const int16_t inside : region.points) {
                if (!is_prey(cells[inside], player) || cells[inside] & cell::house(player)) continue;
                found.prey[static_cast<size_t>(inside)] = 1;
                ++gain;
            }
        }
        const auto p = static_cast<size_t>(point);
        found.gains[p] = static_cast<int16_t>(gain);
        found.here[p] = static_cast<uint8_t>((gain > 0) | (gain >= kLargeCapture) << 1);
    }

    // Bit by bit without a branch, so that the loop runs on many points at a time.
    void observe_row(const State& s, int y, const Captures& mine, const Captures& theirs, uint8_t* points) const {
        const int width = board().width(), me = s.to_move, enemy = me ^ 1;
        const auto first = static_cast<size_t>(board().point(0, y));
        const uint8_t* const cells = s.cells() + first;
        const uint8_t* const grounded = s.grounded() + first;
        const uint8_t* const my_here = mine.here.data() + first;
        const uint8_t* const my_prey = mine.prey.data() + first;
        const uint8_t* const their_here = theirs.here.data() + first;
        const uint8_t* const their_prey = theirs.prey.data() + first;
        uint8_t* const out = points + y * width;
        uint8_t* const out_1 = out + area();
        uint8_t* const out_2 = out_1 + area();
        const uint8_t any_legal = s.finished ? 0 : 1;
        for (int x = 0; x < width; ++x) {
            const uint8_t value = cells[x];
            const uint8_t my = static_cast<uint8_t>(value >> me), their = static_cast<uint8_t>(value >> enemy);
            const uint8_t dead = (value >> 4 | value >> 5) & 1;
            const uint8_t playable = ((value & cell::kOccupied) == 0);
            out[x] = static_cast<uint8_t>((my & 1) | (their & 1) << 1 | (my >> 4 & 1) << 2 | (their >> 4 & 1) << 3 |
                                          (my >> 2 & dead) << 4 | (their >> 2 & dead) << 5 | playable << 6 | 0x80);
            const uint8_t my_ground = (my | my >> 4) & grounded[x] & 1, their_ground = (their | their >> 4) & grounded[x] & 1;
            out_1[x] = static_cast<uint8_t>((my >> 6 & 1) | (their >> 6 & 1) << 1 | my_ground << 2 | their_ground << 3 |
                                            (my_here[x] & 1) << 4 | (their_here[x] & 1) << 5 | their_prey[x] << 6 |
                                            my_prey[x] << 7);
            out_2[x] = static_cast<uint8_t>((my_here[x] & 2) << 2 | (their_here[x] & 2) << 3 | (playable & any_legal) << 5);
        }
        if (zone_binds(s))
            for (int x = 0; x < width; ++x)
                if (!is_legal(s, y * width + x)) out_2[x] &= static_cast<uint8_t>(~0x20);
    }

    void describe(const State& s, float* globals) const {
        const KropkiOptions& rules = options();
        const int me = s.to_move;
        const float points = static_cast<float>(area()), side = std::sqrt(points);
        const bool can_ground = rules.stop == KropkiStop::kGrounding && !s.finished;
        const float values[kNumGlobals] = {
            margin(s) / 10.0f,
            margin(s) / side,
            (me == 1 ? s.komi : -s.komi) / 10.0f,
            can_ground ? stop_margin(s, me) / 10.0f : 0.0f,
            can_ground ? stop_margin(s, me ^ 1) / 10.0f : 0.0f,
            static_cast<float>(s.num_playable) / points,
            s.num_playable & 1 ? -1.0f : 1.0f,
            flag(zone_binds(s)),
            flag(can_ground),
            flag(rules.stop == KropkiStop::kSolo),
            flag(s.stopped >= 0),
            s.solo_left > 0 ? static_cast<float>(s.solo_left) / points : 0.0f,
            flag(rules.add_turn),
            flag(rules.owner_turn),
            flag(rules.holes),
            flag(rules.punish),
            flag(rules.last_safe),
            flag(rules.capture_empty),
            flag(rules.territory),
            rules.instant_win > 0 ? 1.0f / static_cast<float>(rules.instant_win) : 0.0f,
            side / 10.0f,
        };
        std::copy_n(values, kNumGlobals, globals);
    }

    static float flag(bool value) { return value ? 1.0f : 0.0f; }
};

}  // namespace dotzero
