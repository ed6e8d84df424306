// Kropki: how promising a move looks before anything is tried: a softmax over sums of one weight a feature.
//
// The weights were fitted by softmax regression to the visits of this search itself, with 2,000 playouts a move, as
// in Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007), whose features are much the same:
// tactics, what lies beside, where the last moves were.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "kropki_prior_weights.hpp"
#include "kropki_tactics.hpp"

namespace dotzero {

class KropkiPriors {
  public:
    using State = KropkiState;

    explicit KropkiPriors(const KropkiTactics& game) : game_(game) {}

    // The logit of a dot of the player to move on a free point. `taken` and `saved` are the enemy dots that it would
    // take, and its own that an enemy dot there would; `last` and `before` the points of the last two dots or -1.
    float logit(State& s, int point, int taken, int saved, int last, int before) const {
        using namespace prior_weights;
        const int me = s.to_move, enemy = me ^ 1;
        const uint8_t mine = s.near(me)[point], theirs = s.near(enemy)[point];
        float sum = kTaken[bucket(taken)] + kSaved[bucket(saved)];
        sum += kRuns[std::min(3, game_.num_gaps(mine))][std::min(3, game_.num_gaps(theirs))];
        sum += kMySides[count(mine & kSides)] + kTheirSides[count(theirs & kSides)];
        sum += kMyCorners[count(mine & kCorners)] + kTheirCorners[count(theirs & kCorners)];
        sum += kMyLink[static_cast<size_t>(game_.link_at(s, point, me))];
        sum += kTheirLink[static_cast<size_t>(game_.link_at(s, point, enemy))];
        sum += kFromLast[distance(point, last)] + kFromBefore[distance(point, before)];
        sum += kFromEdge[from_edge(point)];
        const Jumps found = jumps(s, point);
        sum += of_jumps(kMyJumps, found[static_cast<size_t>(me)]) + of_jumps(kTheirJumps, found[static_cast<size_t>(enemy)]);
        sum += kHouse[s.cells()[point] & cell::house(me) ? 1 : s.cells()[point] & cell::house(enemy) ? 2 : 0];
        sum += kMyGround[ground(s, point, mine)] + kTheirGround[ground(s, point, theirs)];
        return sum;
    }

  private:
    static constexpr uint8_t kSides = 0x55, kCorners = 0xAA;
    static constexpr size_t kFar = 9;

    static size_t count(int mask) { return static_cast<size_t>(__builtin_popcount(static_cast<unsigned>(mask))); }
    static size_t bucket(int dots) { return static_cast<size_t>(dots <= 3 ? dots : dots <= 6 ? 4 : 5); }

    // The class of a step: 1-0, 1-1, 2-0, 2-1, 2-2, 3-0 .. 3-3, farther.
    size_t distance(int point, int other) const {
        if (other < 0) return kFar;
        const KropkiBoard& board = game_.board();
        int far = std::abs(board.column(point) - board.column(other)), side = std::abs(board.row(point) - board.row(other));
        if (far < side) std::swap(far, side);
        return far > 3 ? kFar : static_cast<size_t>((far == 1 ? 0 : far == 2 ? 2 : 5) + side);
    }

    size_t from_edge(int point) const {
        const KropkiBoard& board = game_.board();
        const int x = board.column(point), y = board.row(point);
        return static_cast<size_t>(std::min({5, x, y, board.width() - 1 - x, board.height() - 1 - y}));
    }

    // Live dots two steps away: [player][0] in a straight line, [player][1] a knight's move.
    using Jumps = std::array<std::array<uint8_t, 2>, 2>;

    Jumps jumps(const State& s, int point) const {
        static constexpr std::array<std::array<int8_t, 2>, 12> kSteps{
            {{2, 0}, {-2, 0}, {0, 2}, {0, -2}, {2, 1}, {2, -1}, {-2, 1}, {-2, -1}, {1, 2}, {-1, 2}, {1, -2}, {-1, -2}}};
        const KropkiBoard& board = game_.board();
        const int x = board.column(point), y = board.row(point);
        const bool is_inside = x >= 2 && y >= 2 && x < board.width() - 2 && y < board.height() - 2;
        Jumps found{};
        for (size_t i = 0; i < kSteps.size(); ++i) {
            const int to_x = x + kSteps[i][0], to_y = y + kSteps[i][1];
            if (!is_inside && (to_x < 0 || to_y < 0 || to_x >= board.width() || to_y >= board.height())) continue;
            const uint8_t value = s.cells()[board.point(to_x, to_y)];
            found[0][i >= 4] = static_cast<uint8_t>(found[0][i >= 4] + (value & 1));
            found[1][i >= 4] = static_cast<uint8_t>(found[1][i >= 4] + (value >> 1 & 1));
        }
        return found;
    }

    template <class Table>
    static float of_jumps(const Table& table, const std::array<uint8_t, 2>& found) {
        return table[std::min<size_t>(3, found[0])][std::min<size_t>(3, found[1])];
    }

    // Bit 0: a neighbour in the mask is grounded; bit 1: one is not.
    size_t ground(const State& s, int point, uint8_t mask) const {
        size_t found = 0;
        for (unsigned left = mask; left; left &= left - 1)
            found |= s.grounded()[point + game_.board().offset(__builtin_ctz(left))] ? 1 : 2;
        return found;
    }

    const KropkiTactics& game_;
};

}  // namespace dotzero
