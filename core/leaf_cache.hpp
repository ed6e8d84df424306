// The evaluation cache between a search's trees and its evaluator.
//
// With a cache every leaf is shown to the evaluator as the canonical image of its position, hit or miss, and its policy
// is brought back, rounded as the cache keeps it. So what the search learns of a position is a function of the position
// alone: which ones were kept changes how many rows are evaluated, and no result.
//
// During a walk the table is only read, by all threads, and afterwards it is only written, by one and in the order of
// rows: what it holds never depends on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "evaluation_cache.hpp"

namespace dotzero {

// Games without canonical images have no cache: every leaf has a row of its own.
template <class Game, bool = Game::kHasImages>
class LeafCache {
  public:
    struct Place {
        int row = 0;
    };

    LeafCache(const Game& game, size_t bytes, int) : game_(game) {
        if (bytes > 0) throw std::invalid_argument("this game has no evaluation cache");
    }

    void clear() {}
    void begin_rows() {}
    template <class PlaceOf>
    bool add_row(Place& place, int row, const PlaceOf&) {
        place.row = row;
        return true;
    }
    void observe(const typename Game::State& leaf, const Place&, uint8_t* points, float* globals) const {
        game_.observe(leaf, points, globals);
    }

  private:
    const Game& game_;
};

template <class Game>
class LeafCache<Game, true> {
  public:
    // What a leaf has to do with the cache.
    struct Place {
        EvaluationCache::Key key{};
        int symmetry = 0;  // that leads to the canonical image
        int row = 0;       // of the evaluation it waits for
    };

    LeafCache(const Game& game, size_t bytes, int num_leaves) : game_(game), num_logits_(game.num_actions()) {
        if (bytes == 0) return;
        table_.emplace(bytes, game.num_key_words(), num_logits_);
        size_t size = 2;
        while (size < 2 * static_cast<size_t>(num_leaves)) size *= 2;
        row_of_.resize(size);
        steps_.resize(static_cast<size_t>(num_leaves * num_logits_));
    }

    bool on() const { return table_.has_value(); }

    void clear() {
        if (on()) table_->clear();
    }

    // Works out the leaf's place; whether its evaluation is there.
    bool find(const typename Game::State& leaf, Place& place, EvaluationCache::Entry& entry) const {
        place.symmetry = game_.canonical(leaf, place.key);
        return table_->find(place.key, entry);
    }

    void begin_rows() { std::fill(row_of_.begin(), row_of_.end(), -1); }

    // Gives the leaf the row of an equal one, else `row`; whether it is a new one. `place_of(row)` is that of a leaf
    // before it.
    template <class PlaceOf>
    bool add_row(Place& place, int row, const PlaceOf& place_of) {
        place.row = row;
        if (!on()) return true;
        size_t at = table_->hash(place.key) >> 32 & (row_of_.size() - 1);
        for (; row_of_[at] >= 0; at = (at + 1) & (row_of_.size() - 1)) {
            place.row = row_of_[at];
            if (table_->equal(place.key, place_of(place.row).key)) return false;
        }
        place.row = row_of_[at] = row;
        return true;
    }

    void observe(const typename Game::State& leaf, const Place& place, uint8_t* points, float* globals) const {
        game_.observe(on() ? game_.image(leaf, place.key) : leaf, points, globals);
    }

    // Rounds the policy of a row; `leaf` is one of those that wait for it.
    void round(const typename Game::State& leaf, const Place& place, const float* policy) {
        static thread_local std::vector<uint16_t> actions;
        actions.resize(static_cast<size_t>(num_logits_));
        const int count = game_.legal(leaf, actions.data());
        float highest = -3e38f;
        for (int i = 0; i < count; ++i) highest = std::max(highest, logit(place, policy, actions[i]));
        uint16_t* const steps = steps_of(place.row);
        std::fill(steps, steps + num_logits_, UINT16_MAX);
        for (int i = 0; i < count; ++i) {
            const float below = (highest - logit(place, policy, actions[i])) / EvaluationCache::kStep;
            if (!(below >= 0.0f) || !std::isfinite(highest))
                throw std::runtime_error("the evaluator returned policy logits that are not finite");
            steps[game_.image_of_action(place.symmetry, actions[i])] =
                static_cast<uint16_t>(std::min(below + 0.5f, 65535.0f));
        }
    }

    EvaluationCache::Entry rounded(int row, float value, float margin) const {
        return {steps_.data() + static_cast<size_t>(row * num_logits_), value, margin};
    }

    void insert(const Place& place, float value, float margin) {
        table_->insert(place.key, rounded(place.row, value, margin));
    }

    // The logit of an action of the leaf, up to what is common to all.
    float logit(const Place& place, const EvaluationCache::Entry& entry, int action) const {
        return -EvaluationCache::kStep * static_cast<float>(entry.steps[game_.image_of_action(place.symmetry, action)]);
    }

  private:
    float logit(const Place& place, const float* policy, int action) const {
        return policy[game_.policy_slot(game_.image_of_action(place.symmetry, action))];
    }

    uint16_t* steps_of(int row) { return steps_.data() + static_cast<size_t>(row * num_logits_); }

    const Game& game_;
    int num_logits_;
    std::optional<EvaluationCache> table_;
    std::vector<int> row_of_;      // open addressing by key, -1: free
    std::vector<uint16_t> steps_;  // [row, logit], of the rows under evaluation
};

}  // namespace dotzero
