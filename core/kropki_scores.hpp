// Kropki: what points are worth, and which of a player's points are grounded.
//
// Scores follow from what lies on each closed point and who holds it, by one small table for all scoring rules. A
// point that a player owns (a live dot or a closed point that it holds) is grounded if points of its own lead
// orthogonally to the edge. That only ever grows: a grounded point cannot be enclosed, and a path to the edge
// cannot be cut by a capture. So what a STOP would cost is kept along with every move.
#pragma once

#include <array>
#include <cstdint>

#include "kropki_board.hpp"
#include "kropki_walk.hpp"

namespace dotzero {

class KropkiScores {
  public:
    explicit KropkiScores(const KropkiOptions& options) : options_(options), board_(options.width, options.height) {
        fill_credits();
    }

    const KropkiOptions& options() const { return options_; }
    const KropkiBoard& board() const { return board_; }
    int area() const { return board_.area(); }

    // Final (or current) margin in points, komi included, seen by a player.
    float margin_of(const KropkiState& s, int player) const {
        return static_cast<float>(s.score[player] - s.score[player ^ 1]) + (player == 1 ? s.komi : -s.komi);
    }
    // Final margin of a player that stops now, with the grounding kept.
    float stop_margin(const KropkiState& s, int player) const {
        return margin_of(s, player) - static_cast<float>(s.stop_costs[player]);
    }

  protected:
    void add_credit(KropkiState& s, int holder, uint8_t value, int sign) const {
        for (int player = 0; player < 2; ++player)
            s.score[player] = static_cast<int16_t>(s.score[player] + sign * credits_[holder][cell::dot(value)][player]);
    }

    // Counts an owned point as one that is not grounded (sign 1) or takes that back (-1).
    void count_loose(KropkiState& s, int point, int player, int sign) const {
        const uint8_t value = s.cells()[point];
        const int dot = cell::dot(value), closed = (value & cell::kHeld) != 0;
        s.num_loose[player] = static_cast<int16_t>(s.num_loose[player] + (dot != 0 ? sign : 0));
        s.stop_costs[player] = static_cast<int16_t>(s.stop_costs[player] + sign * stop_costs_[player][closed][dot]);
    }

    void add_owned(KropkiState& s, int point, int player) const {
        s.grounded()[point] = 0;
        count_loose(s, point, player, 1);
    }

    // Grounds a point of the player, and all that hangs on it, if a neighbour is the edge or grounded.
    void ground_if_linked(KropkiState& s, int point, int player, KropkiScratch& t) const {
        const uint8_t* const cells = s.cells();
        uint8_t* const grounded = s.grounded();
        if (grounded[point]) return;
        bool linked = false;
        for (int d = 0; d < 8; d += 2) {
            const int beside = point + board_.offset(d);
            linked |= (cells[beside] & cell::owned(player)) && grounded[beside];  // the border is everybody's
        }
        if (!linked) return;
        KropkiPoints& queue = t.queue;
        queue.clear();
        queue.push_back(point);
        grounded[point] = 1;
        for (size_t i = 0; i < queue.size(); ++i) {
            count_loose(s, queue[i], player, -1);
            for (int d = 0; d < 8; d += 2) {
                const int beside = queue[i] + board_.offset(d);
                if (!(cells[beside] & cell::owned(player)) || grounded[beside]) continue;
                grounded[beside] = 1;
                queue.push_back(beside);
            }
        }
    }

  private:
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

    KropkiOptions options_;
    KropkiBoard board_;
    std::array<std::array<std::array<int8_t, 2>, 3>, 2> credits_{};
    std::array<std::array<std::array<int16_t, 3>, 2>, 2> stop_costs_{};
};

}  // namespace dotzero
