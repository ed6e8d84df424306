// The tree search of one game: from its root to a leaf, and on once the leaf is evaluated. search.hpp runs many.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gumbel.hpp"
#include "random.hpp"
#include "root_policy.hpp"
#include "tree.hpp"

namespace dotzero {

template <class Game>
class GameSearch {
  public:
    using State = typename Game::State;

    // Both must outlive the search.
    GameSearch(const Game& game, const SearchOptions& options) : game_(&game), options_(&options) {}

    Random random;

    void set_root(const State& state) {
        root_ = state;
        abandon();
    }

    // Starts a search from the root. A finished root needs none and is done at once; a root with a single legal action
    // is evaluated but not searched, and so is every root with 0 simulations.
    void begin(int num_simulations, bool noise) {
        if (num_simulations < 0 || num_simulations > options_->max_simulations)
            throw std::invalid_argument("num_simulations must be in 0.." + std::to_string(options_->max_simulations) +
                                        ", got " + std::to_string(num_simulations));
        tree_.clear();
        noise_ = noise;
        simulations_left_ = num_simulations;
        finished_ = game_->finished(root_);
        solved_ = false;
        equals_.clear();
        tree_.add_node(-1, game_->to_move(root_));
        if (finished_) {
            learn_utility(0, root_);
            tree_.backup(0, tree_.nodes[0].raw_utility, Tree::certain(tree_.margin_of_known(0)));
            stage_ = Stage::kIdle;
        } else {
            stage_ = Stage::kRoot;
        }
    }

    void abandon() {
        tree_.clear();
        stage_ = Stage::kIdle;
        simulations_left_ = 0;
    }

    // Runs simulations until one ends at a position that must be judged; false when the search has come to its end.
    bool find_leaf() {
        if (stage_ == Stage::kIdle) return false;
        if (stage_ == Stage::kRoot) {
            leaf_ = 0;
            leaf_state_ = root_;
            return true;
        }
        while (simulations_left_ > 0 && !tree_.nodes[0].known()) {
            --simulations_left_;
            descend();
            const Node& leaf = tree_.nodes[leaf_];
            if (!leaf.known()) return true;
            tree_.backup(leaf_, leaf.lower, Tree::certain(tree_.margin_of_known(leaf_)));
        }
        simulations_left_ = 0;
        stage_ = Stage::kIdle;
        return false;
    }

    const State& leaf_state() const { return leaf_state_; }

    // Takes the judgement of the leaf: logit(action), value and margin, all seen by its player to move.
    template <class Logit>
    void expand(const Logit& logit, float value, float margin) {
        static thread_local std::vector<uint16_t> actions;
        static thread_local std::vector<float> priors;
        actions.resize(num_actions());
        priors.resize(num_actions());
        int count = game_->legal(leaf_state_, actions.data());
        for (int i = 0; i < count; ++i) priors[i] = logit(actions[i]);
        softmax(priors.data(), count);
        if (!std::isfinite(value) || !std::isfinite(margin))
            throw std::runtime_error("the evaluator returned a value or margin that is not finite");
        if constexpr (Game::kHasEssentials) {
            if (game_->keeps_essentials() && (leaf_ > 0 || simulations_left_ > 0))
                count = game_->essential(leaf_state_, actions.data(), priors.data(), count, leaf_ ? nullptr : &equals_);
        }
        Node& leaf = tree_.nodes[leaf_];
        leaf.raw_utility = utility(value, margin);
        const int most = options_->max_edges > 0 && leaf_ > 0 ? std::min(options_->max_edges, count) : count;
        if (most < count) keep_highest(actions, priors, count, most);
        tree_.add_edges(leaf_, actions.data(), priors.data(), most, most < count);
        tree_.backup(leaf_, leaf.raw_utility, {value, margin});
        if (stage_ == Stage::kRoot) begin_root();
    }

    // Visits and mean values of the root's actions, and the search's policy; arrays of num_actions.
    void result(int32_t* visits, float* values, float* policy) const {
        std::fill(visits, visits + num_actions(), 0);
        std::fill(values, values + num_actions(), 0.0f);
        std::fill(policy, policy + num_actions(), 0.0f);
        require_done();
        const Node& root = tree_.nodes[0];
        for (uint32_t i = 0; i < root.num_children; ++i) {
            const uint32_t edge = root.first_edge + i;
            visits[tree_.action[edge]] = tree_.nodes[tree_.child[edge]].visits;
            values[tree_.action[edge]] = static_cast<float>(tree_.edge_value(root, edge));
        }
        if (root.num_edges == 1) {  // forced: not searched
            visits[tree_.action[root.first_edge]] = 1;
            policy[tree_.action[root.first_edge]] = 1.0f;
        } else if (solved_) {
            share_among_best(tree_, policy);
        } else if (!finished_ && root.num_children == 0) {  // no simulations
            std::copy(prior_.begin(), prior_.end(), policy);
        } else if (!finished_ && options_->root_rule == RootRule::kGumbel) {
            std::vector<float> improved;
            gumbel_.improved_policy(tree_, *options_, improved);
            for (uint32_t i = 0; i < root.num_edges; ++i) policy[tree_.action[root.first_edge + i]] = improved[i];
        } else if (!finished_) {
            share_by_visits(tree_, policy);
        }
        share_among_equals(equals_, policy);
    }

    // The move to play: Gumbel's winner or the most visited action (of equals, the one of higher value), -1 in a
    // finished position. A temperature above 0 draws from the search's policy to the power of 1/temperature.
    int choose(float temperature) {
        require_done();
        const Node& root = tree_.nodes[0];
        if (finished_) return -1;
        if (root.num_edges == 1) return tree_.action[root.first_edge];
        if (temperature > 0.0f) {
            std::vector<int32_t> visits(num_actions());
            std::vector<float> values(num_actions()), policy(num_actions());
            result(visits.data(), values.data(), policy.data());
            return draw_action(std::move(policy), temperature, random);
        }
        if (root.num_children == 0) return tree_.action[root.first_edge];  // the highest prior
        const bool gumbel = options_->root_rule == RootRule::kGumbel && !solved_;
        return tree_.action[gumbel ? gumbel_.winner(tree_, *options_) : most_visited(tree_)];
    }

    float root_value() const {
        const Node& root = tree_.nodes[0];
        return std::clamp(static_cast<float>(root.value()), root.lower, root.upper);
    }
    float raw_value() const { return tree_.nodes[0].raw_utility; }
    float lower() const { return tree_.nodes[0].lower; }
    float upper() const { return tree_.nodes[0].upper; }

    // KL(policy || prior) in nats of a result's policy; 0 for roots that were not searched: finished, forced, solved.
    float surprise(const float* policy) const {
        if (finished_ || solved_ || tree_.nodes[0].num_edges == 1) return 0.0f;
        return dotzero::surprise(gathered(policy).data(), prior_);
    }

    // The margin at the end of best play, seen by the player to move, where the root is known; else NaN.
    float known_margin() const {
        require_done();
        return tree_.nodes[0].known() ? tree_.margin_of_known(0) : std::numeric_limits<float>::quiet_NaN();
    }

    Estimate estimate(const float* policy) const { return estimate_root(tree_, gathered(policy).data()); }
    bool done() const { return stage_ == Stage::kIdle && !tree_.nodes.empty(); }

  private:
    enum class Stage { kIdle, kRoot, kSearching };

    // A result's policy, with what equal actions have of it given to the one that the tree has an edge for.
    std::vector<float> gathered(const float* policy) const {
        std::vector<float> sums(policy, policy + num_actions());
        for (size_t action = 0; action < equals_.size(); ++action) {
            const int kept = equals_[action];
            if (kept < 0 || kept == static_cast<int>(action)) continue;
            sums[static_cast<size_t>(kept)] += sums[action];
            sums[action] = 0.0f;
        }
        return sums;
    }

    size_t num_actions() const { return static_cast<size_t>(game_->num_actions()); }

    void require_done() const {
        if (!done()) throw std::logic_error("this game's search has not come to its end");
    }

    float utility(float value, float margin) const {
        const float share = std::clamp(margin / options_->margin_scale, -1.0f, 1.0f);
        return (1.0f - options_->margin_weight) * value + options_->margin_weight * share;
    }

    // Where the game knows how a position will end, so does its node from now on.
    bool learn_utility(int index, const State& state) {
        float margin;
        if (game_->finished(state)) {
            margin = static_cast<float>(game_->margin(state));
        } else if (!game_->solved(state, margin)) {
            return false;
        }
        tree_.make_known(index, utility(Tree::certain(margin).value, margin), margin);
        return true;
    }

    void descend() {
        leaf_state_ = root_;
        int index = 0;
        for (;;) {
            const Node& node = tree_.nodes[index];
            const bool gumbel = index == 0 && options_->root_rule == RootRule::kGumbel;
            const uint32_t edge = gumbel ? gumbel_.select(tree_, *options_) : select(index);
            const bool visited = edge < node.first_edge + node.num_children;
            game_->step(leaf_state_, tree_.action[edge]);
            settle();
            if (!visited) {
                leaf_ = tree_.attach(index, edge, game_->to_move(leaf_state_));
                learn_utility(leaf_, leaf_state_);
                return;
            }
            index = tree_.child[edge];
            if (tree_.nodes[index].known()) {
                leaf_ = index;
                return;
            }
        }
    }

    // Moves the position on to where a choice begins, in games that know where none is.
    void settle() {
        if constexpr (Game::kHasEssentials) {
            if (game_->keeps_essentials()) game_->settle(leaf_state_);
        }
    }

    uint32_t select(int index) const {
        const Node& node = tree_.nodes[index];
        if (index > 0 && options_->gumbel_interior) return select_by_improved_policy(tree_, node, *options_);
        return tree_.select_puct(node, *options_);
    }

    // Moves the actions of highest prior (of equals the first) to the front, in their old order and with priors that add
    // up to 1.
    static void keep_highest(std::vector<uint16_t>& actions, std::vector<float>& priors, int count, int most) {
        static thread_local std::vector<float> sorted;
        sorted.assign(priors.begin(), priors.begin() + count);
        std::nth_element(sorted.begin(), sorted.begin() + most - 1, sorted.end(), std::greater<float>());
        const float least = sorted[static_cast<size_t>(most - 1)];
        int equals = most;  // how many of those as low as that stay
        for (int i = 0; i < count; ++i) equals -= priors[i] > least;
        int kept = 0;
        float total = 0.0f;
        for (int i = 0; i < count; ++i) {
            if (priors[i] < least || (priors[i] == least && equals-- <= 0)) continue;
            total += priors[i];
            actions[kept] = actions[i];
            priors[kept++] = priors[i];
        }
        for (int i = 0; i < most; ++i) priors[i] /= total;
    }

    // Turns logits into priors.
    static void softmax(float* priors, int count) {
        float highest = -3e38f, total = 0.0f;
        for (int i = 0; i < count; ++i) highest = std::max(highest, priors[i]);
        for (int i = 0; i < count; ++i) priors[i] = exp_nonpositive(priors[i] - highest);
        for (int i = 0; i < count; ++i) total += priors[i];
        if (!std::isfinite(highest) || !(total >= 0.5f))  // the highest logit alone gives 1; NaN fails too
            throw std::runtime_error("the evaluator returned policy logits that are not finite");
        for (int i = 0; i < count; ++i) priors[i] /= total;
    }

    void begin_root() {
        stage_ = Stage::kSearching;
        const Node& root = tree_.nodes[0];
        prior_.assign(num_actions(), 0.0f);
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_edges; ++edge)
            prior_[tree_.action[edge]] = tree_.prior[edge];
        float margin;
        if (root.num_edges == 1) {
            simulations_left_ = 0;
        } else if (game_->solved(root_, margin)) {
            solve_actions();
        } else if (options_->root_rule == RootRule::kGumbel) {
            gumbel_.begin(tree_, simulations_left_, noise_, *options_, random);
        } else if (noise_) {
            add_dirichlet();
        }
        if (simulations_left_ == 0) stage_ = Stage::kIdle;
    }

    // One visit for every action, each of which the game can solve since it can solve the root.
    void solve_actions() {
        solved_ = true;
        simulations_left_ = 0;
        while (tree_.nodes[0].num_children < tree_.nodes[0].num_edges) {
            leaf_state_ = root_;
            const uint32_t edge = tree_.nodes[0].first_edge + tree_.nodes[0].num_children;
            game_->step(leaf_state_, tree_.action[edge]);
            const int leaf = tree_.attach(0, edge, game_->to_move(leaf_state_));
            if (!learn_utility(leaf, leaf_state_))
                throw std::logic_error("the game solves a position but not what follows from it");
            tree_.backup(leaf, tree_.nodes[leaf].lower, Tree::certain(tree_.margin_of_known(leaf)));
        }
    }

    void add_dirichlet() {
        const Node& root = tree_.nodes[0];
        std::vector<double> noise(num_actions(), 0.0);
        std::vector<uint16_t> legal(num_actions());
        const int count = game_->legal(root_, legal.data());
        double total = 0.0;
        for (int i = 0; i < count; ++i)
            if (has_edge(legal[i])) total += noise[legal[i]] = random.gamma(options_->dirichlet_alpha);
        if (!(total > 0.0)) return;  // every draw underflowed: alpha is tiny and the priors stand
        const float fraction = options_->dirichlet_fraction;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_edges; ++edge)
            tree_.prior[edge] = (1.0f - fraction) * tree_.prior[edge] +
                                fraction * static_cast<float>(noise[tree_.action[edge]] / total);
        tree_.bring_best_forward(root);
    }

    // Whether an action of the root has an edge.
    bool has_edge(int action) const { return equals_.empty() || equals_[static_cast<size_t>(action)] == action; }

    const Game* game_;
    const SearchOptions* options_;
    State root_{}, leaf_state_{};
    Tree tree_;
    GumbelRoot gumbel_;
    std::vector<float> prior_;  // the evaluator's of the root, by action, before any noise
    std::vector<int16_t> equals_;  // of the root's actions: see EssentialLines::keep; empty where all have edges
    Stage stage_ = Stage::kIdle;
    int leaf_ = 0, simulations_left_ = 0;
    bool noise_ = false;
    bool finished_ = false, solved_ = false;  // the root
};

}  // namespace dotzero
