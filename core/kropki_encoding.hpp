// Kropki: what a network sees of a game, and the tactics that this takes: what one dot of either player would
// capture now. The meaning of every bit and number stands in envs/kropki.py.
//
// Only a point with two runs of neighbours that hang together elsewhere can capture. Such a dot is put on a
// scratch copy of the game, its regions are found as in a real move, and it is taken off again.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kropki.hpp"

namespace dotzero {

class KropkiGame : public Kropki {
  public:
    static constexpr int kPointBytes = 3;
    static constexpr int kNumGlobals = 21;

    using Kropki::Kropki;

    int observation_bytes() const { return kPointBytes * area(); }
    int num_globals() const { return kNumGlobals; }

    // Enemy dots that a dot of `player` on each point would take now, by point into `gains`; the dots themselves
    // get a mark in `prey`. Both have the board's size and are set everywhere.
    void find_captures(const State& s, int player, int16_t* gains, uint8_t* prey) const {
        static thread_local State copy;
        std::fill_n(gains, board().size(), int16_t{0});
        std::fill_n(prey, board().size(), uint8_t{0});
        if (s.finished) return;
        copy = s;
        KropkiScratch& t = KropkiScratch::local();
        const uint8_t* const cells = copy.cells();
        for (int y = 0; y < board().height(); ++y)
            for (int x = 0, point = board().point(0, y); x < board().width(); ++x, ++point) {
                if (cells[point] & cell::kOccupied || gaps(copy.near(player)[point]).count < 2) continue;
                if (!try_dot(copy, point, player, t)) continue;
                for (int i = 0; i < t.num_regions; ++i) {
                    const KropkiRegion& region = t.regions[static_cast<size_t>(i)];
                    if (region.num_enemies == 0) continue;
                    gains[point] = static_cast<int16_t>(gains[point] + region.num_enemies);
                    for (const int16_t inside : region.points)
                        if (cell::dot(cells[inside]) == 2 - player) prey[inside] |= !(cells[inside] & cell::held(player));
                }
            }
    }

    // `points` [3, height, width], `globals` [kNumGlobals], both for the player to move.
    void observe(const State& s, uint8_t* points, float* globals) const {
        static thread_local std::array<std::array<int16_t, KropkiBoard::kMaxSize>, 2> gains;
        static thread_local std::array<std::array<uint8_t, KropkiBoard::kMaxSize>, 2> prey;
        for (size_t player = 0; player < 2; ++player)
            find_captures(s, static_cast<int>(player), gains[player].data(), prey[player].data());
        const auto me = static_cast<size_t>(s.to_move), enemy = me ^ 1;
        const uint8_t* const cells = s.cells();
        const uint8_t* const grounded = s.grounded();
        for (int y = 0, a = 0; y < board().height(); ++y)
            for (int x = 0; x < board().width(); ++x, ++a) {
                const auto p = static_cast<size_t>(board().point(x, y));
                const uint8_t value = seen_by(cells[p], s.to_move);
                const bool is_dead = value & cell::kHeld;
                points[a] = static_cast<uint8_t>(
                    (value & cell::kLive) | (value & cell::kHeld) >> 2 | (is_dead ? (value & cell::kPlaced) << 2 : 0) |
                    (value & cell::kOccupied ? 0 : 0x40) | 0x80);
                points[area() + a] = static_cast<uint8_t>(
                    value >> 6 | (grounded[p] && value & cell::owned(0)) << 2 | (grounded[p] && value & cell::owned(1)) << 3 |
                    (gains[me][p] > 0) << 4 | (gains[enemy][p] > 0) << 5 | prey[enemy][p] << 6 | prey[me][p] << 7);
                points[2 * area() + a] = static_cast<uint8_t>(
                    (s.last[0] == a) | (s.last[1] == a) << 1 | (s.last[2] == a) << 2 | (gains[me][p] >= kLargeCapture) << 3 |
                    (gains[enemy][p] >= kLargeCapture) << 4 | (a < area() && is_legal(s, a)) << 5);
            }
        describe(s, globals);
    }

  private:
    static constexpr int kLargeCapture = 3;

    // Bit pairs in the order (player to move, opponent).
    static uint8_t seen_by(uint8_t value, int player) {
        if (player == 0) return value;
        return static_cast<uint8_t>((value & 0x55) << 1 | (value >> 1 & 0x55));
    }

    // Finds the regions that a dot would shut in and leaves the game as it was; false if there can be none.
    bool try_dot(State& s, int point, int player, KropkiScratch& t) const {
        uint8_t* const near = s.near(player);
        std::array<int, 4> roots{};
        if (!find_roots(s, point, gaps(near[point]), roots)) return false;
        const uint8_t before = s.cells()[point];
        s.cells()[point] = cell::live(player) | cell::placed(player);
        add_to_masks(near, point);
        find_regions(s, point, player, roots, t);
        remove_from_masks(near, point);
        s.cells()[point] = before;
        return t.num_regions > 0;
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
            flag(rules.zone_width > 0 && s.num_moves < 2),
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
