// Gumbel MuZero: sequential halving over sampled actions at the root, the policy it improves, selection below it.
//
// Danihelka, Guez, Schrittwieser, Silver, "Policy improvement by planning with Gumbel", ICLR 2022. Values enter
// in [0, 1] as there; utilities here lie in [-1, 1] and are mapped.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "random.hpp"
#include "tree.hpp"

namespace dotzero {

inline int most_visits(const Tree& tree, const Node& node) {
    int most = 0;
    for (uint32_t edge = node.first_edge; edge < node.first_edge + node.num_children; ++edge)
        most = std::max(most, tree.nodes[tree.child[edge]].visits);
    return most;
}

// sigma(q) = (c_visit + most visits) * c_scale * q, q in [0, 1]: half of it for a utility in [-1, 1].
inline float value_scale(const Tree& tree, const Node& node, const SearchOptions& options) {
    return 0.5f * (options.gumbel_visit + static_cast<float>(most_visits(tree, node))) * options.gumbel_scale;
}

// v_mix of the paper's appendix D: the node's own value mixed with the visited values under the prior.
inline double mixed_value(const Tree& tree, const Node& node) {
    double weight = 0.0, sum = 0.0;
    int visits = 0;
    for (uint32_t edge = node.first_edge; edge < node.first_edge + node.num_children; ++edge) {
        const double prior = std::max(tree.prior[edge], 1e-30f);
        weight += prior;
        sum += prior * tree.edge_value(node, edge);
        visits += tree.nodes[tree.child[edge]].visits;
    }
    if (visits == 0) return node.raw_utility;
    return (node.raw_utility + visits * sum / weight) / (1.0 + visits);
}

// Selection below the root, section 5 of the paper: argmax of pi'(a) - N(a) / (1 + sum of N), so that visits come to
// follow the improved policy. All unvisited edges have the mixed value: of these only the one of highest prior can be
// best, and their part of pi' follows from the prior that is left. Inferior edges have no part.
inline uint32_t select_by_improved_policy(const Tree& tree, const Node& node, const SearchOptions& options) {
    static thread_local std::vector<double> weights;
    const uint32_t end = node.first_edge + node.num_children;
    const double scale = value_scale(tree, node, options), mixed = scale * mixed_value(tree, node);
    const bool untried = node.num_children < node.num_edges;
    double highest = untried ? mixed : -1e30, tried = 0.0;
    for (uint32_t edge = node.first_edge; edge < end; ++edge)
        if (!tree.inferior(node, edge)) highest = std::max(highest, scale * tree.edge_value(node, edge));
    weights.resize(node.num_children);
    double total = 0.0;
    for (uint32_t i = 0; i < node.num_children; ++i) {
        const uint32_t edge = node.first_edge + i;
        tried += tree.prior[edge];
        weights[i] = tree.inferior(node, edge)
                         ? 0.0
                         : tree.prior[edge] * std::exp(scale * tree.edge_value(node, edge) - highest);
        total += weights[i];
    }
    const double unit = std::exp(mixed - highest);
    if (untried) total += std::max(1.0 - tried, static_cast<double>(tree.prior[end])) * unit;
    total = std::max(total, 1e-300);
    uint32_t best = end;
    double best_score = untried ? tree.prior[end] * unit / total : -1e30;
    for (uint32_t i = 0; i < node.num_children; ++i) {
        const uint32_t edge = node.first_edge + i;
        const double score = weights[i] / total - static_cast<double>(tree.edge_visits(node, edge)) / node.visits;
        if (score > best_score && !tree.inferior(node, edge)) best_score = score, best = edge;
    }
    return best;
}

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
    // Edges that are certain to be worse than another get no more visits. Once all tried ones are either that or
    // known, only an untried one can change anything, and the best of these is next.
    uint32_t select(const Tree& tree, const SearchOptions& options) const {
        const Node& root = tree.nodes[0];
        if (root.num_children < root.num_edges && nothing_open(tree)) return best_untried(tree);
        const int visits = stage_visits_[static_cast<size_t>(root.visits - 1)];
        const float scale = value_scale(tree, root, options);
        const float mixed = static_cast<float>(mixed_value(tree, root));
        const uint32_t none = root.first_edge + root.num_edges;
        uint32_t best = none;
        float best_score = kRuledOut;
        for (uint32_t edge = root.first_edge; edge < none; ++edge) {
            if (tree.edge_visits(root, edge) != visits || tree.inferior(root, edge)) continue;
            const float value = visits > 0 ? static_cast<float>(tree.edge_value(root, edge)) : mixed;
            const float score = perturbed_[tree.action[edge]] + scale * value;
            if (score > best_score) best_score = score, best = edge;
        }
        return best == none ? instead(tree, visits, scale) : best;
    }

    // The winner: of the edges that may be best the most visited ones, and of these the best by logits and
    // values alone. The noise has served its end when it chose what to look at; playing by it as well would be
    // drawing from the policy, which makes games weak and their results poor targets (a temperature says so
    // where that is wanted).
    uint32_t winner(const Tree& tree, const SearchOptions& options) const {
        const Node& root = tree.nodes[0];
        const float scale = value_scale(tree, root, options);
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

    // pi' = softmax(logits + sigma(completed Q)), in the order of edges. Unvisited edges get the mixed value, and
    // edges that are ruled out for certain nothing.
    void improved_policy(const Tree& tree, const SearchOptions& options, std::vector<float>& policy) const {
        const Node& root = tree.nodes[0];
        const float scale = value_scale(tree, root, options);
        const double mixed = mixed_value(tree, root);
        policy.resize(root.num_edges);
        float highest = -1e30f;
        for (uint32_t i = 0; i < root.num_edges; ++i) {
            const uint32_t edge = root.first_edge + i;
            const double value = i < root.num_children ? tree.edge_value(root, edge) : mixed;
            policy[i] = logit_[tree.action[edge]] + scale * static_cast<float>(value);
            if (tree.ruled_out(root, edge)) policy[i] = kRuledOut;
            highest = std::max(highest, policy[i]);
        }
        float total = 0.0f;
        for (float& p : policy) total += p = p == kRuledOut ? 0.0f : std::exp(p - highest);
        if (!std::isfinite(total)) throw std::runtime_error("the search's policy is not finite");
        for (float& p : policy) p /= total;
    }

  private:
    static constexpr float kRuledOut = -1e30f;  // below the score of every edge

    static bool nothing_open(const Tree& tree) {
        const Node& root = tree.nodes[0];
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
            if (!tree.nodes[tree.child[edge]].known() && !tree.inferior(root, edge)) return false;
        return root.num_children > 0;
    }

    uint32_t best_untried(const Tree& tree) const {
        const Node& root = tree.nodes[0];
        uint32_t best = root.first_edge + root.num_children;
        for (uint32_t edge = best + 1; edge < root.first_edge + root.num_edges; ++edge)
            if (perturbed_[tree.action[edge]] > perturbed_[tree.action[best]]) best = edge;
        return best;
    }

    // Whom to visit where all edges of this stage turned out to be inferior: of those that are ahead of the stage the
    // least visited one, so that they stay together; if none is ahead the most visited one that dropped out. Of
    // equals the best. One edge at least is not inferior: that whose lower bound the root has.
    uint32_t instead(const Tree& tree, int visits, float scale) const {
        const Node& root = tree.nodes[0];
        uint32_t best = root.first_edge;
        int best_rank = -1;
        float best_score = kRuledOut;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge) {
            if (tree.inferior(root, edge)) continue;
            const int own = tree.edge_visits(root, edge), most = std::numeric_limits<int>::max();
            const int rank = own > visits ? most - own : own;
            const float score = perturbed_[tree.action[edge]] + scale * static_cast<float>(tree.edge_value(root, edge));
            if (rank < best_rank || (rank == best_rank && score <= best_score)) continue;
            best_rank = rank, best_score = score, best = edge;
        }
        return best;
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
