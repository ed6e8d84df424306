// The Gumbel root: sequential halving over sampled actions, and the policy it improves.
//
// Danihelka, Guez, Schrittwieser, Silver, "Policy improvement by planning with Gumbel", ICLR 2022. Values enter
// in [0, 1] as there; utilities here lie in [-1, 1] and are mapped.
#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include "random.hpp"
#include "tree.hpp"

namespace dotzero {

class GumbelRoot {
  public:
    // Draws the noise (none at all if `noise` is false) and lays out the visits of sequential halving.
    void begin(const Tree& tree, int num_simulations, bool noise, const SearchOptions& options, Random& random) {
        const Node& root = tree.nodes[0];
        perturbed_.clear();
        logit_.clear();
        for (uint32_t edge = 0; edge < root.num_edges; ++edge) {
            const size_t action = tree.action[root.first_edge + edge];
            if (perturbed_.size() <= action) perturbed_.resize(action + 1), logit_.resize(action + 1);
            logit_[action] = std::log(std::max(tree.prior[root.first_edge + edge], 1e-30f));
        }
        // In the order of actions, not of edges: the luck of an action must not hang on the priors of others.
        for (size_t action = 0; action < perturbed_.size(); ++action)
            perturbed_[action] = logit_[action] + (noise ? static_cast<float>(random.gumbel()) : 0.0f);
        lay_out(std::min<int>(options.num_considered, root.num_edges), num_simulations);
    }

    // The edge that the next simulation must try: the best of those that have the visits of the current stage.
    uint32_t select(const Tree& tree, const SearchOptions& options) const {
        const Node& root = tree.nodes[0];
        const int visits = stage_visits_[static_cast<size_t>(root.visits - 1)];
        const float scale = value_scale(tree, options);
        const float mixed = static_cast<float>(mixed_value(tree));
        uint32_t best = root.first_edge;
        float best_score = -1e30f;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_edges; ++edge) {
            if (tree.edge_visits(root, edge) != visits) continue;
            const float value = visits > 0 ? static_cast<float>(tree.edge_value(root, edge)) : mixed;
            const float score = perturbed_[tree.action[edge]] + scale * value;
            if (score > best_score) best_score = score, best = edge;
        }
        return best;
    }

    // The winner: of the edges that may be best the most visited ones, and of these the best by logits and
    // values alone. The noise has served its end when it chose what to look at; playing by it as well would be
    // drawing from the policy, which makes games weak and their results poor targets (a temperature says so
    // where that is wanted).
    uint32_t winner(const Tree& tree, const SearchOptions& options) const {
        const Node& root = tree.nodes[0];
        const float scale = value_scale(tree, options);
        uint32_t best = root.first_edge;
        int most = -1;
        float best_score = 0.0f;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge) {
            if (!tree.may_be_best(root, edge)) continue;
            const int visits = tree.edge_visits(root, edge);
            const float score = logit_[tree.action[edge]] + scale * static_cast<float>(tree.edge_value(root, edge));
            if (visits < most || (visits == most && score <= best_score)) continue;
            most = visits, best_score = score, best = edge;
        }
        return best;
    }

    // pi' = softmax(logits + sigma(completed Q)), in the order of edges. Unvisited edges get the mixed value.
    void improved_policy(const Tree& tree, const SearchOptions& options, std::vector<float>& policy) const {
        const Node& root = tree.nodes[0];
        const float scale = value_scale(tree, options);
        const double mixed = mixed_value(tree);
        policy.resize(root.num_edges);
        float highest = -1e30f;
        for (uint32_t i = 0; i < root.num_edges; ++i) {
            const uint32_t edge = root.first_edge + i;
            const double value = i < root.num_children ? tree.edge_value(root, edge) : mixed;
            policy[i] = logit_[tree.action[edge]] + scale * static_cast<float>(value);
            highest = std::max(highest, policy[i]);
        }
        float total = 0.0f;
        for (float& p : policy) total += p = std::exp(p - highest);
        if (!std::isfinite(total)) throw std::runtime_error("the search's policy is not finite");
        for (float& p : policy) p /= total;
    }

  private:
    // sigma(q) = (c_visit + most visits) * c_scale * q, q in [0, 1]: half of it for a utility in [-1, 1].
    float value_scale(const Tree& tree, const SearchOptions& options) const {
        return 0.5f * (options.gumbel_visit + static_cast<float>(most_visits(tree))) * options.gumbel_scale;
    }

    static int most_visits(const Tree& tree) {
        const Node& root = tree.nodes[0];
        int most = 0;
        for (uint32_t i = 0; i < root.num_children; ++i)
            most = std::max(most, tree.nodes[tree.child[root.first_edge + i]].visits);
        return most;
    }

    // v_mix of the paper's appendix D: the root's own value mixed with the visited values under the prior.
    static double mixed_value(const Tree& tree) {
        const Node& root = tree.nodes[0];
        double weight = 0.0, sum = 0.0;
        int visits = 0;
        for (uint32_t i = 0; i < root.num_children; ++i) {
            const uint32_t edge = root.first_edge + i;
            const double prior = std::max(tree.prior[edge], 1e-30f);
            weight += prior;
            sum += prior * tree.edge_value(root, edge);
            visits += tree.nodes[tree.child[edge]].visits;
        }
        if (visits == 0) return root.raw_utility;
        return (root.raw_utility + visits * sum / weight) / (1.0 + visits);
    }

    // stage_visits_[i]: how many visits the action tried by simulation i must have. `considered` actions share
    // the budget in equal stages, and after each stage the better half (at least two) goes on.
    void lay_out(int considered, int num_simulations) {
        stage_visits_.clear();
        const int num_stages = std::max(1, static_cast<int>(std::ceil(std::log2(considered))));
        int level = 0, alive = considered;
        while (static_cast<int>(stage_visits_.size()) < num_simulations) {
            const int rounds = std::max(1, num_simulations / (num_stages * alive));
            for (int round = 0; round < rounds; ++round, ++level)
                for (int i = 0; i < alive; ++i) stage_visits_.push_back(level);
            alive = std::max(std::min(2, considered), alive / 2);
        }
    }

    std::vector<float> logit_, perturbed_;  // by action
    std::vector<int> stage_visits_;
};

}  // namespace dotzero
