// What a finished search says of its root: the policy that its visits make, the action to play, the surprise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random.hpp"
#include "tree.hpp"

namespace dotzero {

// Equal shares of the best actions of a root whose actions are all solved; by action.
inline void share_among_best(const Tree& tree, float* policy) {
    const Node& root = tree.nodes[0];
    int num_best = 0;
    for (uint32_t i = 0; i < root.num_children; ++i) num_best += tree.may_be_best(root, root.first_edge + i);
    for (uint32_t i = 0; i < root.num_children; ++i)
        if (tree.may_be_best(root, root.first_edge + i))
            policy[tree.action[root.first_edge + i]] = 1.0f / static_cast<float>(num_best);
}

// All visits but those of actions that are ruled out; by action.
inline void share_by_visits(const Tree& tree, float* policy) {
    const Node& root = tree.nodes[0];
    int total = 0;
    for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
        total += tree.ruled_out(root, edge) ? 0 : tree.edge_visits(root, edge);
    for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
        if (!tree.ruled_out(root, edge))
            policy[tree.action[edge]] = static_cast<float>(tree.edge_visits(root, edge)) / static_cast<float>(total);
}

// Gives every action as much as those that it is equal to: equals[action] is the one that has the share of all, -1 for
// none. Both by action; without `equals` nothing changes.
inline void share_among_equals(const std::vector<int16_t>& equals, float* policy) {
    std::vector<int> number(equals.size(), 0);
    for (const int16_t kept : equals)
        if (kept >= 0) ++number[static_cast<size_t>(kept)];
    for (size_t action = 0; action < equals.size(); ++action)
        if (number[action] > 1) policy[action] /= static_cast<float>(number[action]);
    for (size_t action = 0; action < equals.size(); ++action)
        if (equals[action] >= 0) policy[action] = policy[static_cast<size_t>(equals[action])];
}

// Of the root's edges that may be best the most visited one; of equals that of higher value, then of higher prior.
inline uint32_t most_visited(const Tree& tree) {
    const Node& root = tree.nodes[0];
    const auto better = [&](uint32_t a, uint32_t b) {
        const int more = tree.edge_visits(root, a) - tree.edge_visits(root, b);
        if (more != 0) return more > 0;
        const double gain = tree.edge_value(root, a) - tree.edge_value(root, b);
        return gain != 0.0 ? gain > 0.0 : tree.prior[a] > tree.prior[b];
    };
    const uint32_t none = root.first_edge + root.num_edges;
    uint32_t best = none;
    for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
        if (tree.may_be_best(root, edge) && (best == none || better(edge, best))) best = edge;
    return best;
}

// What a search thinks of its root: value and final margin of the tried actions, as much as each has of the policy that
// came of it. The plain mean over visits would hold every action against the root that was only tried out. Exact where
// the root is known.
inline Estimate estimate_root(const Tree& tree, const float* policy) {
    const Node& root = tree.nodes[0];
    if (root.known()) return tree.estimate(0);
    float total = 0.0f, value = 0.0f, margin = 0.0f;
    for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge) {
        const Estimate below = tree.estimate(tree.child[edge]);
        const float share = policy[tree.action[edge]];
        const float sign = tree.nodes[tree.child[edge]].to_move == root.to_move ? share : -share;
        total += share, value += sign * below.value, margin += sign * below.margin;
    }
    if (total <= 0.0f) return tree.estimate(0);  // nothing was tried
    return {value / total, margin / total};
}

// An action drawn from a policy [num_actions] to the power of 1/temperature.
inline int draw_action(std::vector<float> policy, float temperature, Random& random) {
    // Divided by the highest before the power, so that small temperatures neither overflow nor vanish.
    const float highest = *std::max_element(policy.begin(), policy.end());
    double total = 0.0;
    for (float& p : policy) total += p = p > 0.0f ? std::pow(p / highest, 1.0f / temperature) : 0.0f;
    double left = random.uniform() * total;
    int last = -1;
    for (size_t action = 0; action < policy.size(); ++action) {
        if (policy[action] <= 0.0f) continue;
        last = static_cast<int>(action);
        left -= policy[action];
        if (left <= 0.0) break;
    }
    return last;
}

// KL(policy || prior) in nats: what the search found out that the network did not know. Both [num_actions].
inline float surprise(const float* policy, const std::vector<float>& prior) {
    double sum = 0.0;
    for (size_t action = 0; action < prior.size(); ++action)
        if (policy[action] > 0.0f) sum += policy[action] * std::log(policy[action] / std::max(prior[action], 1e-30f));
    return static_cast<float>(std::max(sum, 0.0));
}

}  // namespace dotzero
