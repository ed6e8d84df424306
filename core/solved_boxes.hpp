// Dots and Boxes with an exact end: what the tree search plays on.
//
// Positions with few undrawn lines are solved where they are met, in microseconds, instead of being evaluated. And
// evaluations can be kept, since positions have canonical images.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "boxes.hpp"
#include "boxes_images.hpp"
#include "essential_lines.hpp"
#include "exact_play.hpp"
#include "search.hpp"

namespace dotzero {

class SolvedBoxes : public Boxes {
  public:
    // Without an exact end where `exact_lines` is 0; then any board and scoring will do. `interrupted` is asked now
    // and then, since many lines may take long; its yes ends the search with SearchInterrupted.
    SolvedBoxes(const Boxes& game, int exact_lines, size_t table_bytes, std::function<bool()> interrupted)
        : Boxes(game), exact_lines_(exact_lines) {
        if (exact_lines == 0) return;
        if (game.misere()) throw std::invalid_argument("exact play needs normal scoring");
        solver_ = std::make_shared<Solver>(game.rows(), game.columns(), table_bytes);
        solver_->interrupted = [stop = &solver_->stop, ask = std::move(interrupted)] {
            if (ask()) *stop = true;
            return stop->load();
        };
    }

    // --- canonical images, see leaf_cache.hpp; only after set_images ---

    static constexpr bool kHasImages = true;

    void set_images(BoxesImages images) { images_ = std::make_shared<const BoxesImages>(std::move(images)); }
    int num_key_words() const { return images_->num_key_words(); }
    int canonical(const State& state, EvaluationCache::Key& key) const { return images_->canonical(*this, state, key); }
    State image(const State& state, const EvaluationCache::Key& key) const { return images_->state(*this, state, key); }
    int image_of_action(int symmetry, int action) const { return images_->image(symmetry, action); }

    // --- a smaller tree with the same value, see essential_lines.hpp; only after keep_essentials ---

    static constexpr bool kHasEssentials = true;

    void keep_essentials(bool at_root) {
        if (misere()) throw std::invalid_argument("essential lines need normal scoring");
        essential_ = std::make_shared<const EssentialLines>(*this);
        at_root_ = at_root;
    }
    bool keeps_essentials() const { return essential_ != nullptr; }
    void settle(State& state) const { essential_->settle(*this, state); }
    // With `equals` it is a root, all lines of which may be wanted, and are where they will be solved.
    int essential(const State& state, uint16_t* actions, float* priors, int count, std::vector<int16_t>* equals) const {
        if (equals && (!at_root_ || num_lines() - state.num_drawn <= exact_lines_)) return count;
        return essential_->keep(*this, state, actions, priors, count, equals);
    }

    // Whether the solver takes this unfinished position, and then the final margin of the player to move.
    bool solved(const State& state, float& margin) const {
        if (num_lines() - state.num_drawn > exact_lines_) return false;
        SolverSearch search(solver_->board.planes, solver_->board.zobrist, solver_->table);
        SolverLimits limits;
        limits.stop = &solver_->stop;
        limits.interrupted = &solver_->interrupted;
        const Answer answer = search.solve(undrawn_lines(*this, state), limits);
        if (!answer.exact()) throw SearchInterrupted();
        margin = static_cast<float>(this->margin(state) + answer.lower);
        return true;
    }

    void forget_interruption() const {
        if (solver_) solver_->stop = false;
    }

  private:
    struct Solver {
        Solver(int rows, int columns, size_t table_bytes) : board(rows, columns), table(table_bytes) {}

        SolverBoard board;
        SolverTable table;
        std::atomic<bool> stop{false};
        std::function<bool()> interrupted;
    };

    int exact_lines_;
    bool at_root_ = false;
    std::shared_ptr<const BoxesImages> images_;
    std::shared_ptr<const EssentialLines> essential_;
    std::shared_ptr<Solver> solver_;  // copies of a game share what they find out
};

}  // namespace dotzero
