// One search tree of one game: nodes, edges, selection and backup. It knows players, priors and utilities, but
// no rules; search.hpp walks it together with a game.
//
// Utilities lie in [-1, 1] and every node keeps its own as seen by the player to move THERE. A backup along an
// edge therefore keeps the sign if the same player moves again and flips it if the turn has passed: nothing
// depends on the depth of a node.
//
// A node also keeps bounds of its utility under best play. They meet in finished and exactly solved positions
// and spread from there: a node is worth at least its best child's lower bound and, once it has a child for each of
// its actions, at most their highest upper bound (Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search",
// CG 2010). PUCT tries no edge again that is known to be worse than another.
//
// The edges of a node stand in the order: visited ones first, then the unvisited one of highest prior, then the
// rest. With one value for all unvisited edges, selection looks at the visited ones and at one more only,
// however many moves the board has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dotzero {

enum class RootRule { kPuct = 0, kGumbel = 1 };

struct SearchOptions {
    int max_simulations = 64;
    float c_puct = 1.5f;
    float fpu_reduction = 0.2f;
    float margin_weight = 0.1f;  // share of the score margin in a utility
    float margin_scale = 9.0f;   // margin, in points, at which that share is used up
    RootRule root_rule = RootRule::kPuct;
    float dirichlet_alpha = 0.3f;  // PUCT: noise on the root's priors, where a game asks for noise
    float dirichlet_fraction = 0.25f;
    int num_considered = 16;  // Gumbel: how many root actions enter sequential halving
    float gumbel_visit = 50.0f;
    float gumbel_scale = 1.0f;
    bool gumbel_interior = false;  // below the root: Gumbel MuZero's selection instead of PUCT
    int max_edges = 0;             // of a node below the root, those of highest prior; 0: all
    size_t cache_bytes = 0;        // of the evaluation cache
};

// What an evaluator, or the end of the game, says of a position: winning less losing, and the final margin.
struct Estimate {
    float value = 0.0f, margin = 0.0f;
};

struct Node {
    double value_sum = 0.0;
    float outcome_sum = 0.0f, margin_sum = 0.0f;  // of the estimates behind the utilities in value_sum
    float raw_utility = 0.0f;  // the evaluator's, or the known one
    float lower = -1.0f, upper = 1.0f;  // bounds of the utility under best play
    int32_t visits = 0;
    int32_t parent = -1;
    uint32_t first_edge = 0;  // without edges, where the utility is known: the place of its margin
    uint16_t num_edges = 0;
    uint16_t num_children = 0;
    int8_t to_move = 0;
    bool partial = false;  // whether there are actions without an edge

    bool known() const { return lower == upper; }
    // Means are left as they are between bounds that do not meet: clamped, all moves of a hard position would look
    // alike while one of them is already a little worse.
    double value() const { return known() ? lower : value_sum / visits; }
};

class Tree {
  public:
    std::vector<Node> nodes;
    std::vector<float> prior;
    std::vector<uint16_t> action;
    std::vector<int32_t> child;
    std::vector<float> known_margin;  // of finished and solved positions

    void clear() {
        nodes.clear();
        prior.clear();
        action.clear();
        child.clear();
        known_margin.clear();
    }

    int add_node(int parent, int to_move) {
        Node node;
        node.parent = parent;
        node.to_move = static_cast<int8_t>(to_move);
        nodes.push_back(node);
        return static_cast<int>(nodes.size()) - 1;
    }

    // The utility of a finished or solved position, which is then backed up whenever a simulation comes here; and
    // its margin, seen like the utility by the player to move.
    void make_known(int index, float utility, float margin) {
        Node& node = nodes[index];
        node.raw_utility = node.lower = node.upper = utility;
        node.first_edge = static_cast<uint32_t>(known_margin.size());
        known_margin.push_back(margin);
        for (int parent = node.parent; parent >= 0 && tighten(nodes[parent]); parent = nodes[parent].parent) {
        }
    }

    // Gives a node its edges; priors need not be normalised yet.
    void add_edges(int index, const uint16_t* actions, const float* priors, int count, bool partial) {
        Node& node = nodes[index];
        node.partial = partial;
        node.first_edge = static_cast<uint32_t>(prior.size());
        node.num_edges = static_cast<uint16_t>(count);
        prior.insert(prior.end(), priors, priors + count);
        action.insert(action.end(), actions, actions + count);
        child.resize(prior.size(), -1);
        bring_best_forward(node);
    }

    // Mean utility of the child behind an edge, seen by the player to move at `node`.
    double edge_value(const Node& node, uint32_t edge) const {
        const Node& below = nodes[child[edge]];
        return below.to_move == node.to_move ? below.value() : -below.value();
    }

    // Bounds of an edge's utility, seen by the player to move at `node`. The edge must have a child.
    float edge_lower(const Node& node, uint32_t edge) const {
        const Node& below = nodes[child[edge]];
        return below.to_move == node.to_move ? below.lower : -below.upper;
    }
    float edge_upper(const Node& node, uint32_t edge) const {
        const Node& below = nodes[child[edge]];
        return below.to_move == node.to_move ? below.upper : -below.lower;
    }

    // Whether another edge is known to be better. Unvisited edges never are inferior.
    bool inferior(const Node& node, uint32_t edge) const {
        return edge < node.first_edge + node.num_children && edge_upper(node, edge) < node.lower;
    }

    // Whether an edge may be played: it was tried, and as far as is known none is better.
    bool may_be_best(const Node& node, uint32_t edge) const {
        if (edge >= node.first_edge + node.num_children) return false;
        return node.known() ? edge_lower(node, edge) == node.lower : !inferior(node, edge);
    }

    // Whether an edge certainly gains nothing: another is better or, where the node is known, another makes it so.
    bool ruled_out(const Node& node, uint32_t edge) const {
        return node.known() ? !may_be_best(node, edge) : inferior(node, edge);
    }

    // The margin at the end of best play from a known node, seen by the player to move there. Its bounds met
    // because those of some child did, and so on down to a finished or solved position.
    float margin_of_known(int index) const {
        const Node* node = &nodes[index];
        const int8_t mover = node->to_move;
        while (node->num_edges > 0) {
            uint32_t edge = node->first_edge;
            while (!nodes[child[edge]].known() || edge_lower(*node, edge) != node->lower) ++edge;
            node = &nodes[child[edge]];
        }
        const float margin = known_margin[node->first_edge];
        return node->to_move == mover ? margin : -margin;
    }

    // Mean estimate of a node, seen by the player to move there; the exact one where it is known.
    Estimate estimate(int index) const {
        const Node& node = nodes[index];
        if (node.known()) return certain(margin_of_known(index));
        const float visits = static_cast<float>(node.visits);
        return {node.outcome_sum / visits, node.margin_sum / visits};
    }

    static Estimate certain(float margin) {
        return {static_cast<float>((margin > 0.0f) - (margin < 0.0f)), margin};
    }

    int edge_visits(const Node& node, uint32_t edge) const {
        return edge < node.first_edge + node.num_children ? nodes[child[edge]].visits : 0;
    }

    // PUCT with first-play-urgency reduction: an unvisited edge counts as the node's own value, less a penalty
    // that grows with the prior mass already tried. Returns an edge.
    uint32_t select_puct(const Node& node, const SearchOptions& options) const {
        const uint32_t begin = node.first_edge, end = begin + node.num_children;
        const double scale = options.c_puct * std::sqrt(static_cast<double>(node.visits));
        double best_score = -1e30, tried = 0.0;
        uint32_t best = end;
        for (uint32_t edge = begin; edge < end; ++edge) {
            const double score = edge_value(node, edge) + scale * prior[edge] / (1 + nodes[child[edge]].visits);
            tried += prior[edge];
            if (score > best_score && !inferior(node, edge)) best_score = score, best = edge;
        }
        if (node.num_children < node.num_edges) {
            const double first_play = node.value() - options.fpu_reduction * std::sqrt(tried);
            if (first_play + scale * prior[end] > best_score) best = end;
        }
        return best;
    }

    // Hangs a new node under the first unvisited edge that `edge` names and returns it. Edges before it in the
    // unvisited part (Gumbel roots choose freely) swap places with it.
    int attach(int parent, uint32_t edge, int to_move) {
        const int index = add_node(parent, to_move);
        Node& node = nodes[parent];
        const uint32_t place = node.first_edge + node.num_children;
        swap_edges(edge, place);
        child[place] = index;
        ++node.num_children;
        bring_best_forward(node);
        return index;
    }

    void backup(int leaf, double utility, Estimate estimate) {
        const int8_t mover = nodes[leaf].to_move;
        for (int index = leaf; index >= 0; index = nodes[index].parent) {
            Node& node = nodes[index];
            ++node.visits;
            const bool same = node.to_move == mover;
            node.value_sum += same ? utility : -utility;
            node.outcome_sum += same ? estimate.value : -estimate.value;
            node.margin_sum += same ? estimate.margin : -estimate.margin;
        }
    }

    void bring_best_forward(const Node& node) {
        const uint32_t place = node.first_edge + node.num_children, end = node.first_edge + node.num_edges;
        if (place >= end) return;
        const auto best = std::max_element(prior.begin() + place, prior.begin() + end);
        swap_edges(static_cast<uint32_t>(best - prior.begin()), place);
    }

  private:
    // Works out the bounds of a node from its children's; false if they stay the same.
    bool tighten(Node& node) const {
        float lower = node.lower, upper = -1.0f;
        for (uint32_t edge = node.first_edge; edge < node.first_edge + node.num_children; ++edge) {
            lower = std::max(lower, edge_lower(node, edge));
            upper = std::max(upper, edge_upper(node, edge));
        }
        if (node.num_children < node.num_edges || node.partial) upper = 1.0f;
        upper = std::min(upper, node.upper);
        if (lower == node.lower && upper == node.upper) return false;
        node.lower = lower;
        node.upper = upper;
        return true;
    }

    void swap_edges(uint32_t a, uint32_t b) {
        std::swap(prior[a], prior[b]);
        std::swap(action[a], action[b]);
        std::swap(child[a], child[b]);
    }
};

// exp(x) for x in [-87, 0], relative error below 2e-7: a loop over it vectorises, one over std::exp does not.
inline float exp_nonpositive(float x) {
    x = std::max(x, -87.0f);
    const float scaled = x * 1.44269504f;
    const float whole = std::floor(scaled);
    // exp(f * ln 2) on [0, 1) after splitting ln 2 in two for precision (Cody and Waite).
    const float f = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * f + 1.0f / 720.0f;
    p = p * f + 1.0f / 120.0f;
    p = p * f + 1.0f / 24.0f;
    p = p * f + 1.0f / 6.0f;
    p = p * f + 0.5f;
    p = p * f + 1.0f;
    p = p * f + 1.0f;
    union {
        uint32_t bits;
        float value;
    } power;
    power.bits = static_cast<uint32_t>(static_cast<int32_t>(whole) + 127) << 23;
    return p * power.value;
}

}  // namespace dotzero
