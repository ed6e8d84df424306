// Batched tree search: one tree a game, many games in lockstep, leaves evaluated from outside.
//
// walk() brings every searching game to a leaf and writes the leaves' observations into the evaluator's buffer;
// expand() takes the evaluations of those rows, in the same order. Finished positions met on the way are backed
// up at once and cost no row, so a call may return fewer rows than there are games. Games are independent: the
// result of each depends on its root, its generator and the evaluations of its own rows.
//
// A Game gives: State, num_actions, num_policy_slots, policy_slot, observation_bytes, num_globals, finished,
// to_move, margin (of the player to move), legal, step, observe; and solved(state, margin): whether it knows
// the final margin of an unfinished position under best play. Such a leaf costs no row either, and such a root
// no simulations: all its actions are solved instead. forget_interruption() follows after solved() threw
// SearchInterrupted. With kHasImages a game has canonical images of its positions, and its searches can keep
// evaluations: num_key_words, canonical, image, image_of_action; see leaf_cache.hpp. With kHasEssentials it can make
// the tree below the root smaller without changing any value: keeps_essentials, settle, essential; see essential_lines.hpp.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "game_search.hpp"
#include "leaf_cache.hpp"
#include "parallel.hpp"

namespace dotzero {

// A game gave up solving a position because its caller has something more urgent; see solved_boxes.hpp.
class SearchInterrupted : public std::exception {
  public:
    const char* what() const noexcept override { return "the search was interrupted"; }
};

template <class Game>
class Search {
  public:
    Search(Game game, int num_games, const SearchOptions& options, int num_threads)
        : game_(std::move(game)), options_(options), pool_(num_threads), cache_(game_, options.cache_bytes, num_games) {
        if (num_threads < 1) throw std::invalid_argument("a search needs at least one thread");
        if (num_games < 1) throw std::invalid_argument("a search needs at least one game");
        if (options.max_simulations < 1) throw std::invalid_argument("max_simulations must be at least 1");
        slots_.assign(static_cast<size_t>(num_games), Slot{GameSearch<Game>(game_, options_)});
    }

    Search(const Search&) = delete;  // the games' searches point into it
    Search& operator=(const Search&) = delete;

    const Game& game() const { return game_; }
    int num_games() const { return static_cast<int>(slots_.size()); }
    const std::vector<int>& rows() const { return rows_; }
    GameSearch<Game>& of(int slot) { return slots_[static_cast<size_t>(slot)].search; }
    const GameSearch<Game>& of(int slot) const { return slots_[static_cast<size_t>(slot)].search; }

    void set_root(int slot, const typename Game::State& state) {
        require_no_rows("set_root()");
        of(slot).set_root(state);
    }

    void begin(int slot, int num_simulations, bool noise) {
        require_no_rows("begin()");
        of(slot).begin(num_simulations, noise);
    }

    // Returns the number of rows written; 0 means that every search has come to its end.
    int walk(uint8_t* points, float* globals) {
        require_no_rows("walk()");
        pool_.run(num_games(), [&](int slot) { slots_[slot].waiting = find_leaf(slots_[slot]); });
        list_rows();
        pool_.run(static_cast<int>(rows_.size()), [&](int row) {
            const size_t r = static_cast<size_t>(row);
            const Slot& s = slots_[rows_[r]];
            cache_.observe(s.search.leaf_state(), s.place, points + r * game_.observation_bytes(),
                           globals + r * game_.num_globals());
        });
        return static_cast<int>(rows_.size());
    }

    // `policy` [rows, num_policy_slots] logits, `value` and `margin` [rows], all seen by the player to move.
    void expand(const float* policy, const float* value, const float* margin) {
        if constexpr (Game::kHasImages) {
            if (cache_.on()) return expand_and_keep(policy, value, margin);
        }
        pool_.run(static_cast<int>(rows_.size()), [&](int row) {
            const size_t r = static_cast<size_t>(row);
            const float* const logits = policy + r * game_.num_policy_slots();
            const auto logit = [&](int action) { return logits[game_.policy_slot(action)]; };
            of(rows_[r]).expand(logit, value[r], margin[r]);
        });
        rows_.clear();
    }

    // Gives up all searches, as when an evaluation failed. They have no result and must be begun anew.
    void abandon() {
        game_.forget_interruption();
        for (Slot& s : slots_) {
            s.search.abandon();
            s.waiting = false;
        }
        rows_.clear();
    }

    // Forgets all evaluations, as when the evaluator has changed; searches under way go on.
    void clear_cache() { cache_.clear(); }

    // Leaves so far that took no row: the cache had their evaluation, or an equal leaf of the same walk took one.
    int64_t num_cache_hits() const {
        int64_t total = 0;
        for (const Slot& s : slots_) total += s.num_hits;
        return total;
    }

  private:
    struct Slot {
        GameSearch<Game> search;
        typename LeafCache<Game>::Place place{};  // of its leaf
        int64_t num_hits = 0;
        bool waiting = false;
    };

    void require_no_rows(const char* call) const {
        if (!rows_.empty()) throw std::logic_error(std::string(call) + " before expand() of the last rows");
    }

    // Brings a search to a leaf that the evaluator must judge.
    bool find_leaf(Slot& s) {
        while (s.search.find_leaf()) {
            if constexpr (Game::kHasImages) {
                EvaluationCache::Entry entry;
                if (cache_.on() && cache_.find(s.search.leaf_state(), s.place, entry)) {
                    expand_kept(s, entry);
                    ++s.num_hits;
                    continue;
                }
            }
            return true;
        }
        return false;
    }

    // Gives every waiting slot its row; equal leaves share one.
    void list_rows() {
        cache_.begin_rows();
        const auto place_of = [&](int row) -> const auto& { return slots_[rows_[static_cast<size_t>(row)]].place; };
        for (int slot = 0; slot < num_games(); ++slot) {
            Slot& s = slots_[slot];
            if (!s.waiting) continue;
            if (cache_.add_row(s.place, static_cast<int>(rows_.size()), place_of)) {
                rows_.push_back(slot);
            } else {
                ++s.num_hits;
            }
        }
    }

    void expand_and_keep(const float* policy, const float* value, const float* margin) {
        pool_.run(static_cast<int>(rows_.size()), [&](int row) {
            const Slot& s = slots_[rows_[static_cast<size_t>(row)]];
            cache_.round(s.search.leaf_state(), s.place, policy + static_cast<size_t>(row) * game_.num_policy_slots());
        });
        pool_.run(num_games(), [&](int slot) {
            Slot& s = slots_[slot];
            if (s.waiting) expand_kept(s, cache_.rounded(s.place.row, value[s.place.row], margin[s.place.row]));
        });
        for (size_t row = 0; row < rows_.size(); ++row)
            cache_.insert(slots_[rows_[row]].place, value[row], margin[row]);
        rows_.clear();
    }

    void expand_kept(Slot& s, const EvaluationCache::Entry& entry) {
        const auto logit = [&](int action) { return cache_.logit(s.place, entry, action); };
        s.search.expand(logit, entry.value, entry.margin);
    }

    Game game_;
    SearchOptions options_;
    ThreadPool pool_;
    LeafCache<Game> cache_;
    std::vector<Slot> slots_;
    std::vector<int> rows_;  // the slot of each row; of several with equal leaves the first
};

}  // namespace dotzero
