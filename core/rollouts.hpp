// Looking ahead in the safe phase: random safe play from each candidate line, ended by exact play.
//
// The remaining safe lines decide who must open the first long chain, and no rule of thumb foretells it as well
// as trying: a rollout draws random safe lines until none is left, or so few lines that the solver takes over.
// Candidates are the safe lines, and the openings that give one or two boxes away for good: sacrifices that
// turn the parity. The budget goes to the better half again and again (sequential halving: Karnin, Koren,
// Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exact_play.hpp"
#include "random.hpp"

namespace dotzero {

struct RolloutCandidate {
    int slot;
    LineSet quiet;  // what is left after the line and the opponent's captures
    int given;      // boxes
    double sum = 0.0;
    int visits = 0;

    double value() const { return visits ? sum / visits : 0.0; }
};

class Rollouts {
  public:
    Rollouts(const BoxesPlanes& planes, ExactPlay::Questioner& questioner, int exact_lines, uint64_t seed)
        : planes_(planes), questioner_(questioner), exact_lines_(exact_lines), random_(seed) {}

    // All candidates of a position without boxes on offer, the best first; values are seen by the player to move.
    std::vector<RolloutCandidate> run(const LineSet& undrawn, int num_rollouts) {
        std::vector<RolloutCandidate> all = candidates(undrawn);
        size_t alive = all.size();
        const int num_rounds = std::max(1, static_cast<int>(std::ceil(std::log2(std::max<size_t>(alive, 1)))));
        for (int round = 0; round < num_rounds && alive > 0; ++round) {
            const int each = std::max<int>(1, num_rollouts / (num_rounds * static_cast<int>(alive)));
            for (size_t i = 0; i < alive; ++i)
                for (int n = 0; n < each; ++n, ++all[i].visits) all[i].sum -= all[i].given + play_out(all[i].quiet);
            std::stable_sort(all.begin(), all.begin() + alive, [](const RolloutCandidate& a, const RolloutCandidate& b) {
                return a.value() > b.value();
            });
            alive = (alive + 1) / 2;
        }
        return all;
    }

  private:
    std::vector<RolloutCandidate> candidates(const LineSet& lines) const {
        std::vector<RolloutCandidate> found;
        const Degrees degrees = planes_.degrees(lines);
        planes_.safe(lines, degrees).without(planes_.duplicates(lines)).each([&](int slot) {
            LineSet after = lines;
            after.remove(slot);
            found.push_back({slot, after, 0});
        });
        for (uint64_t boxes = degrees.two; boxes;) {
            const uint64_t chain = planes_.component(lines, boxes);
            boxes &= ~chain;
            const int slot = planes_.opening(lines, chain);
            LineSet after = lines;
            after.remove(slot);
            const Capture capture = planes_.take_all(after, planes_.degrees(after));
            if (capture.taken <= kLargestSacrifice && !capture.left)
                found.push_back({slot, capture.rest, capture.taken});
        }
        return found;
    }

    // The value of a quiet position for the player to move there, by one random continuation.
    double play_out(LineSet lines) {
        int sign = 1;
        for (int left = lines.count();; --left, sign = -sign) {
            const LineSet safe = planes_.safe(lines, planes_.degrees(lines));
            const int num_safe = safe.count();
            if (num_safe == 0 || left <= exact_lines_) {
                const Answer answer = questioner_.solve(lines, num_nodes_ < kManyNodes ? kNodesEach : kNodesAtLast);
                pay(answer.num_nodes);
                if (answer.exact() || num_safe == 0) return sign * 0.5 * (answer.lower + answer.upper);
            }
            lines.remove(planes_.nth(safe, static_cast<int>(random_.below(num_safe))));
        }
    }

    // Keeps the cost of an exact end near kMeanNodes: where it is more, rollouts go on to fewer lines. Wide
    // regions without chains are hard to solve; there are positions of 30 lines that take a thousand times as
    // long as others.
    void pay(uint64_t num_nodes) {
        num_nodes_ += num_nodes;
        balance_ += kMeanNodes - static_cast<int64_t>(num_nodes);
        if (balance_ >= -kCredit) return;
        --exact_lines_;
        balance_ = 0;
    }

    static constexpr int kLargestSacrifice = 2;
    static constexpr uint64_t kNodesEach = 4000;  // behind, the middle of the bounds must do
    static constexpr int64_t kMeanNodes = 100, kCredit = 20000;
    // Positions without safe lines may be hard too.
    static constexpr uint64_t kManyNodes = 3000000, kNodesAtLast = 100;

    const BoxesPlanes& planes_;
    ExactPlay::Questioner& questioner_;
    int exact_lines_;  // falls where exact ends cost too much
    Random random_;
    int64_t balance_ = 0;
    uint64_t num_nodes_ = 0;
};

}  // namespace dotzero
