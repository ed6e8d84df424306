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

#include "boxes.hpp"
#include "boxes_images.hpp"
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

    // Whether the solver takes this unfinished position, and then the final margin of the player to move.
    bool solved(const State& state, float& margin) const {
        if (num_lines() - state.num_drawn > exact_lines_) return false;
        SolverSearch search(solver_->board.planes, solver_->board.zobrist, solver_->table);
        SolverLimits limits;
        limits.stop = &solver_->stop;
        limits.interrupted = &solver_->interrupted;
        const Answer answer = search.solve(undrawn(state), limits);
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

    // Line numbers run row by row without gaps, planes have one bit more a row.
    LineSet undrawn(const State& state) const {
        LineSet lines;
        const int stride = columns() + 1;
        for (int r = 0; r <= rows(); ++r)
            lines.across |= open_row(state, horizontal(r, 0), columns()) << (r * stride);
        for (int r = 0; r < rows(); ++r) lines.down |= open_row(state, vertical(r, 0), stride) << (r * stride);
        return lines;
    }

    // `length` lines from `first` on, 1 undrawn.
    static uint64_t open_row(const State& state, int first, int length) {
        const int word = first >> 6, shift = first & 63;
        uint64_t drawn = state.drawn[word] >> shift;
        if (shift + length > 64) drawn |= state.drawn[word + 1] << (64 - shift);
        return ~drawn & ((uint64_t{1} << length) - 1);
    }

    int exact_lines_;
    std::shared_ptr<const BoxesImages> images_;
    std::shared_ptr<Solver> solver_;  // copies of a game share what they find out
};

}  // namespace dotzero
