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
// no simulations: all its actions are solved instead. forget_interruption() follows after solved() threw SearchInterrupted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gumbel.hpp"
#include "parallel.hpp"
#include "random.hpp"
#include "tree.hpp"

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
        : game_(std::move(game)), options_(options), pool_(num_threads), slots_(num_games) {
        if (num_threads < 1) throw std::invalid_argument("a search needs at least one thread");
        if (num_games < 1) throw std::invalid_argument("a search needs at least one game");
        if (options.max_simulations < 1) throw std::invalid_argument("max_simulations must be at least 1");
    }

    const Game& game() const { return game_; }
    int num_games() const { return static_cast<int>(slots_.size()); }
    const std::vector<int>& rows() const { return rows_; }

    uint64_t generator(int slot) const { return slots_[slot].random.state(); }
    void set_generator(int slot, uint64_t state) { slots_[slot].random = Random(state); }

    void set_root(int slot, const typename Game::State& state) {
        require_no_rows("set_root()");
        Slot& s = slots_[slot];
        s.root = state;
        s.tree.clear();
        s.simulations_left = 0;
        s.stage = Stage::kIdle;
    }

    // Starts a search from the slot's root. A finished root needs none and is done at once; a root with a single
    // legal action is evaluated but not searched.
    void begin(int slot, int num_simulations, bool noise) {
        require_no_rows("begin()");
        Slot& s = slots_[slot];
        if (num_simulations < 1 || num_simulations > options_.max_simulations)
            throw std::invalid_argument("num_simulations must be in 1.." + std::to_string(options_.max_simulations) +
                                        ", got " + std::to_string(num_simulations));
        s.tree.clear();
        s.noise = noise;
        s.simulations_left = num_simulations;
        s.finished = game_.finished(s.root);
        s.solved = false;
        s.tree.add_node(-1, game_.to_move(s.root));
        if (s.finished) {
            learn_utility(s.tree, 0, s.root);
            s.tree.backup(0, s.tree.nodes[0].raw_utility);
            s.stage = Stage::kIdle;
        } else {
            s.stage = Stage::kRoot;
        }
    }

    // Returns the number of rows written; 0 means that every search has come to its end.
    int walk(uint8_t* points, float* globals) {
        require_no_rows("walk()");
        pool_.run(num_games(), [&](int slot) { slots_[slot].waiting = find_leaf(slots_[slot]); });
        for (int slot = 0; slot < num_games(); ++slot)
            if (slots_[slot].waiting) rows_.push_back(slot);
        pool_.run(static_cast<int>(rows_.size()), [&](int row) {
            const size_t r = static_cast<size_t>(row);
            game_.observe(slots_[rows_[r]].leaf_state, points + r * game_.observation_bytes(),
                          globals + r * game_.num_globals());
        });
        return static_cast<int>(rows_.size());
    }

    // `policy` [rows, num_policy_slots] logits, `value` and `margin` [rows], all seen by the player to move.
    void expand(const float* policy, const float* value, const float* margin) {
        pool_.run(static_cast<int>(rows_.size()), [&](int row) {
            const size_t r = static_cast<size_t>(row);
            expand_leaf(slots_[rows_[r]], policy + r * game_.num_policy_slots(), value[r], margin[r]);
        });
        rows_.clear();
    }

    // Gives up all searches, as when an evaluation failed. They have no result and must be begun anew.
    void abandon() {
        game_.forget_interruption();
        for (Slot& s : slots_) {
            s.tree.clear();
            s.stage = Stage::kIdle;
            s.simulations_left = 0;
            s.waiting = false;
        }
        rows_.clear();
    }

    // Visits and mean values of the root's actions, and the search's policy; arrays of num_actions.
    void result(int slot, int32_t* visits, float* values, float* policy) const {
        const Slot& s = slots_[slot];
        const Tree& tree = s.tree;
        std::fill(visits, visits + game_.num_actions(), 0);
        std::fill(values, values + game_.num_actions(), 0.0f);
        std::fill(policy, policy + game_.num_actions(), 0.0f);
        require_done(s);
        const Node& root = tree.nodes[0];
        for (uint32_t i = 0; i < root.num_children; ++i) {
            const uint32_t edge = root.first_edge + i;
            visits[tree.action[edge]] = tree.nodes[tree.child[edge]].visits;
            values[tree.action[edge]] = static_cast<float>(tree.edge_value(root, edge));
        }
        if (root.num_edges == 1) {  // forced: not searched
            visits[tree.action[root.first_edge]] = 1;
            policy[tree.action[root.first_edge]] = 1.0f;
        } else if (s.solved) {
            share_among_best(tree, policy);
        } else if (!s.finished && options_.root_rule == RootRule::kGumbel) {
            std::vector<float> improved;
            s.gumbel.improved_policy(tree, options_, improved);
            for (uint32_t i = 0; i < root.num_edges; ++i) policy[tree.action[root.first_edge + i]] = improved[i];
        } else if (!s.finished) {
            share_by_visits(tree, policy);
        }
    }

    // The move to play: Gumbel's winner or the most visited action (of equals, the one of higher value), -1 in a
    // finished position. A temperature above 0 draws from the search's policy to the power of 1/temperature.
    int choose(int slot, float temperature) {
        Slot& s = slots_[slot];
        require_done(s);
        const Node& root = s.tree.nodes[0];
        if (s.finished) return -1;
        if (root.num_edges == 1) return s.tree.action[root.first_edge];
        return temperature > 0.0f ? draw(s, slot, temperature) : s.tree.action[best_edge(s)];
    }

    float root_value(int slot) const {
        const Node& root = slots_[slot].tree.nodes[0];
        return std::clamp(static_cast<float>(root.value()), root.lower, root.upper);
    }
    float raw_value(int slot) const { return slots_[slot].tree.nodes[0].raw_utility; }
    bool done(int slot) const { return slots_[slot].stage == Stage::kIdle && !slots_[slot].tree.nodes.empty(); }

  private:
    enum class Stage { kIdle, kRoot, kSearching };

    struct Slot {
        typename Game::State root{}, leaf_state{};
        Tree tree;
        GumbelRoot gumbel;
        Random random;
        Stage stage = Stage::kIdle;
        int leaf = 0, simulations_left = 0;
        bool waiting = false, noise = false;
        bool finished = false, solved = false;  // the root
    };

    void require_no_rows(const char* call) const {
        if (!rows_.empty()) throw std::logic_error(std::string(call) + " before expand() of the last rows");
    }

    void require_done(const Slot& s) const {
        if (s.stage != Stage::kIdle || s.tree.nodes.empty())
            throw std::logic_error("this game's search has not come to its end");
    }

    float utility(float value, float margin) const {
        const float share = std::clamp(margin / options_.margin_scale, -1.0f, 1.0f);
        return (1.0f - options_.margin_weight) * value + options_.margin_weight * share;
    }

    // Where the game knows how a position will end, so does its node from now on.
    bool learn_utility(Tree& tree, int index, const typename Game::State& state) const {
        float margin;
        if (game_.finished(state)) {
            margin = static_cast<float>(game_.margin(state));
        } else if (!game_.solved(state, margin)) {
            return false;
        }
        tree.make_known(index, utility(static_cast<float>((margin > 0.0f) - (margin < 0.0f)), margin));
        return true;
    }

    // Runs simulations until one ends at a position that the evaluator must judge.
    bool find_leaf(Slot& s) {
        if (s.stage == Stage::kIdle) return false;
        if (s.stage == Stage::kRoot) {
            s.leaf = 0;
            s.leaf_state = s.root;
            return true;
        }
        while (s.simulations_left > 0 && !s.tree.nodes[0].known()) {
            --s.simulations_left;
            descend(s);
            const Node& leaf = s.tree.nodes[s.leaf];
            if (!leaf.known()) return true;
            s.tree.backup(s.leaf, leaf.lower);
        }
        s.simulations_left = 0;
        s.stage = Stage::kIdle;
        return false;
    }

    void descend(Slot& s) {
        s.leaf_state = s.root;
        int index = 0;
        for (;;) {
            const Node& node = s.tree.nodes[index];
            const bool gumbel = index == 0 && options_.root_rule == RootRule::kGumbel;
            const uint32_t edge = gumbel ? s.gumbel.select(s.tree, options_) : s.tree.select_puct(node, options_);
            const bool visited = edge < node.first_edge + node.num_children;
            game_.step(s.leaf_state, s.tree.action[edge]);
            if (!visited) {
                s.leaf = s.tree.attach(index, edge, game_.to_move(s.leaf_state));
                learn_utility(s.tree, s.leaf, s.leaf_state);
                return;
            }
            index = s.tree.child[edge];
            if (s.tree.nodes[index].known()) {
                s.leaf = index;
                return;
            }
        }
    }

    void expand_leaf(Slot& s, const float* logits, float value, float margin) {
        static thread_local std::vector<uint16_t> actions;
        static thread_local std::vector<float> priors;
        actions.resize(game_.num_actions());
        priors.resize(game_.num_actions());
        const int count = game_.legal(s.leaf_state, actions.data());
        softmax(logits, actions.data(), priors.data(), count);
        if (!std::isfinite(value) || !std::isfinite(margin))
            throw std::runtime_error("the evaluator returned a value or margin that is not finite");
        Node& leaf = s.tree.nodes[s.leaf];
        leaf.raw_utility = utility(value, margin);
        s.tree.add_edges(s.leaf, actions.data(), priors.data(), count);
        s.tree.backup(s.leaf, leaf.raw_utility);
        if (s.stage == Stage::kRoot) begin_root(s);
    }

    void softmax(const float* logits, const uint16_t* actions, float* priors, int count) const {
        float highest = -3e38f, total = 0.0f;
        for (int i = 0; i < count; ++i) {
            priors[i] = logits[game_.policy_slot(actions[i])];
            highest = std::max(highest, priors[i]);
        }
        for (int i = 0; i < count; ++i) priors[i] = exp_nonpositive(priors[i] - highest);
        for (int i = 0; i < count; ++i) total += priors[i];
        if (!std::isfinite(highest) || !(total >= 0.5f))  // the highest logit alone gives 1; NaN fails too
            throw std::runtime_error("the evaluator returned policy logits that are not finite");
        for (int i = 0; i < count; ++i) priors[i] /= total;
    }

    void begin_root(Slot& s) {
        s.stage = Stage::kSearching;
        const Node& root = s.tree.nodes[0];
        float margin;
        if (root.num_edges == 1) {
            s.simulations_left = 0;
        } else if (game_.solved(s.root, margin)) {
            solve_actions(s);
        } else if (options_.root_rule == RootRule::kGumbel) {
            s.gumbel.begin(s.tree, s.simulations_left, s.noise, options_, s.random);
        } else if (s.noise) {
            add_dirichlet(s);
        }
        if (s.simulations_left == 0) s.stage = Stage::kIdle;
    }

    // One visit for every action, each of which the game can solve since it can solve the root.
    void solve_actions(Slot& s) {
        s.solved = true;
        s.simulations_left = 0;
        while (s.tree.nodes[0].num_children < s.tree.nodes[0].num_edges) {
            s.leaf_state = s.root;
            const uint32_t edge = s.tree.nodes[0].first_edge + s.tree.nodes[0].num_children;
            game_.step(s.leaf_state, s.tree.action[edge]);
            const int leaf = s.tree.attach(0, edge, game_.to_move(s.leaf_state));
            if (!learn_utility(s.tree, leaf, s.leaf_state))
                throw std::logic_error("the game solves a position but not what follows from it");
            s.tree.backup(leaf, s.tree.nodes[leaf].lower);
        }
    }

    static void share_among_best(const Tree& tree, float* policy) {
        const Node& root = tree.nodes[0];
        int num_best = 0;
        for (uint32_t i = 0; i < root.num_children; ++i) num_best += tree.may_be_best(root, root.first_edge + i);
        for (uint32_t i = 0; i < root.num_children; ++i)
            if (tree.may_be_best(root, root.first_edge + i))
                policy[tree.action[root.first_edge + i]] = 1.0f / static_cast<float>(num_best);
    }

    // All visits but those of actions that turned out to be inferior.
    static void share_by_visits(const Tree& tree, float* policy) {
        const Node& root = tree.nodes[0];
        int total = 0;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
            total += tree.inferior(root, edge) ? 0 : tree.edge_visits(root, edge);
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
            if (!tree.inferior(root, edge))
                policy[tree.action[edge]] =
                    static_cast<float>(tree.edge_visits(root, edge)) / static_cast<float>(total);
    }

    void add_dirichlet(Slot& s) {
        const Node& root = s.tree.nodes[0];
        std::vector<double> noise(game_.num_actions(), 0.0);
        std::vector<uint16_t> legal(game_.num_actions());
        const int count = game_.legal(s.root, legal.data());
        double total = 0.0;
        for (int i = 0; i < count; ++i) total += noise[legal[i]] = s.random.gamma(options_.dirichlet_alpha);
        if (!(total > 0.0)) return;  // every draw underflowed: alpha is tiny and the priors stand
        const float fraction = options_.dirichlet_fraction;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_edges; ++edge)
            s.tree.prior[edge] = (1.0f - fraction) * s.tree.prior[edge] +
                                 fraction * static_cast<float>(noise[s.tree.action[edge]] / total);
        s.tree.bring_best_forward(root);
    }

    // Of the edges that may be best the most visited one; of equals that of higher value, then of higher prior.
    uint32_t best_edge(const Slot& s) const {
        if (options_.root_rule == RootRule::kGumbel && !s.solved) return s.gumbel.winner(s.tree, options_);
        const Tree& tree = s.tree;
        const Node& root = tree.nodes[0];
        const auto better = [&](uint32_t a, uint32_t b) {
            const int more = tree.edge_visits(root, a) - tree.edge_visits(root, b);
            if (more != 0) return more > 0;
            const double gain = tree.edge_value(root, a) - tree.edge_value(root, b);
            return gain != 0.0 ? gain > 0.0 : tree.prior[a] > tree.prior[b];
        };
        uint32_t best = root.first_edge + root.num_edges;
        for (uint32_t edge = root.first_edge; edge < root.first_edge + root.num_children; ++edge)
            if (tree.may_be_best(root, edge) && (best == root.first_edge + root.num_edges || better(edge, best)))
                best = edge;
        return best;
    }

    int draw(Slot& s, int slot, float temperature) {
        const int num_actions = game_.num_actions();
        std::vector<int32_t> visits(num_actions);
        std::vector<float> values(num_actions), policy(num_actions);
        result(slot, visits.data(), values.data(), policy.data());
        // Divided by the highest before the power, so that small temperatures neither overflow nor vanish.
        const float highest = *std::max_element(policy.begin(), policy.end());
        double total = 0.0;
        for (float& p : policy)
            total += p = p > 0.0f ? std::pow(p / highest, 1.0f / temperature) : 0.0f;
        double left = s.random.uniform() * total;
        int last = -1;
        for (int action = 0; action < num_actions; ++action) {
            if (policy[action] <= 0.0f) continue;
            last = action;
            left -= policy[action];
            if (left <= 0.0) break;
        }
        return last;
    }

    Game game_;
    SearchOptions options_;
    ThreadPool pool_;
    std::vector<Slot> slots_;
    std::vector<int> rows_;
};

}  // namespace dotzero
