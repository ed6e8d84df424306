// Kropki: tree search by playouts, for the levels that need no network.
//
// UCT with priors and AMAF: a node looks at the moves near the dots, at most so many of highest prior, and goes down
// where prior, mean value and visits say so, as PUCT does. While a move has few visits of its own, its value is
// mixed with that of the simulations in which its player put a dot there at any later time (Gelly and Silver, "Monte-
// Carlo tree search and rapid action value estimation in computer Go", 2011). A leaf is judged by one playout.
//
// Not winning but winning dots is what counts: the value is tanh of the change of the margin, so that won and lost
// positions are played on sensibly. Where the player to move would win by STOP the game is over.
//
// One game, one thread, one generator: the same position, options and seed give the same search.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kropki_chase.hpp"
#include "kropki_playout.hpp"
#include "kropki_priors.hpp"
#include "kropki_tactics.hpp"
#include "random.hpp"

namespace dotzero {

struct KropkiPlayoutOptions {
    int radius = 2;         // king's steps from the nearest dot to a move that is looked at
    int num_moves = 40;     // moves of highest prior that a node looks at
    float length = 0.35f;   // dots of a playout, as a share of the board's points
    float exploration = 1.2f;
    float amaf_visits = 300.0f;  // own visits at which AMAF counts half
    float margin_scale = 6.0f;   // points that are worth 0.76
    float result_weight = 0.1f;  // share of winning in the value, next to the change of the margin
    int chase_nodes = 0;         // for each chase that is tried at the root; 0: none is
};

class KropkiPlayoutSearch {
  public:
    using State = KropkiState;

    // Both must outlive the search.
    KropkiPlayoutSearch(const KropkiTactics& game, const KropkiPlayoutOptions& options)
        : game_(game), options_(options), priors_(game), playout_(game, options.radius), chase_(game),
          max_dots_(std::max(1, static_cast<int>(options.length * static_cast<float>(game.area())))) {}

    // Searches an unfinished position, with fewer playouts, or without chases, where the time is up before. `interrupted()`
    // is asked now and then; once it says yes the search is given up and run() returns false.
    template <class Interrupted>
    bool run(const State& root, uint64_t seed, int num_playouts, double max_seconds, const Interrupted& interrupted) {
        const auto started = std::chrono::steady_clock::now();
        const auto is_late = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() >= max_seconds;
        };
        begin(root, seed);
        if (nodes_[0].num_children < 2) {
            children_[0].visits = 1;
            return true;
        }
        if (options_.chase_nodes > 0) favour_chases(is_late);
        for (int i = 0; i < num_playouts; ++i) {
            simulate();
            if (i % kAskEvery != kAskEvery - 1) continue;
            if (interrupted()) return false;
            if (is_late() || is_settled(num_playouts - i - 1)) break;
        }
        return true;
    }

    // Visits and mean values of the root's moves, for the player to move; both [num_actions], zeros elsewhere.
    void result(int32_t* visits, float* values) const {
        const Node& root = nodes_[0];
        for (const Child *child = first(root), *end = child + root.num_children; child != end; ++child) {
            const int action = game_.board().action(child->point);
            visits[action] = child->visits;
            values[action] = child->visits > 0 ? child->sum / static_cast<float>(child->visits) : 0.0f;
        }
    }

  private:
    struct Child {
        float prior;
        float sum = 0.0f, amaf_sum = 0.0f;  // values of simulations, seen by the player who moves here
        int32_t visits = 0, amaf_visits = 0, node = -1;
        int16_t point;
    };

    struct Candidate {
        float logit;
        int16_t point;
    };

    struct Node {
        float sum = 0.0f;  // seen by the player to move
        float known = 0.0f;
        int32_t visits = 0, first_child = 0, num_children = 0;
        int8_t to_move = 0;
        bool is_known = false;  // the game is over, or as good as over; `known` is its value
    };

    const Child* first(const Node& node) const { return children_.data() + node.first_child; }
    Child* first(const Node& node) { return children_.data() + node.first_child; }

    void begin(const State& root, uint64_t seed) {
        root_ = root;
        random_ = Random(seed);
        nodes_.clear();
        children_.clear();
        margin_ = game_.margin_of(root, 0);
        is_decided_ = game_.decided(root) >= 0;
        mark_near_dots();
        state_ = root_;
        near_ = root_near_;
        nodes_.push_back(Node{});
        nodes_[0].to_move = root.to_move;
        expand(0, point_of(root.last[0]), point_of(root.last[1]));
    }

    int point_of(int action) const { return action >= 0 && action < game_.area() ? game_.board().point(action) : -1; }

    // On an empty board the middle is near.
    void mark_near_dots() {
        const KropkiBoard& board = game_.board();
        root_near_.fill(0);
        bool is_empty = true;
        for (int a = 0; a < game_.area(); ++a) {
            const int point = board.point(a);
            if (!(root_.cells()[point] & cell::kPlaced)) continue;
            is_empty = false;
            mark_near(board, point, options_.radius, root_near_);
        }
        if (is_empty) mark_near(board, board.point(board.width() / 2, board.height() / 2), options_.radius, root_near_);
    }

    // --- one simulation ---

    void simulate() {
        state_ = root_;
        near_ = root_near_;
        path_.clear();
        int node = 0, last = point_of(root_.last[0]), before = point_of(root_.last[1]);
        while (!nodes_[node].is_known) {
            if (nodes_[node].num_children == 0) {
                if (nodes_[node].visits == 0 || children_.size() >= kMostChildren) break;
                expand(node, last, before);
            }
            const int child = select(nodes_[node]);
            path_.push_back({node, child});
            before = last;
            last = children_[child].point;
            trace_.add(last, state_.to_move);
            game_.play<true>(state_, last, KropkiScratch::local());
            mark_near(game_.board(), last, options_.radius, near_);
            node = child_node(child);
        }
        backup(node, nodes_[node].is_known ? nodes_[node].known * sign_of(nodes_[node].to_move) : play_out(last));
        trace_.clear();
    }

    // The value after a playout, seen by player 0.
    float play_out(int last) {
        playout_.run(state_, near_, last, max_dots_, random_, trace_);
        return value(game_.margin_of(state_, 0));
    }

    static float sign_of(int player) { return player == 0 ? 1.0f : -1.0f; }

    // What a margin of player 0, komi included, is worth to it.
    float value(float margin) const {
        const float change = std::tanh((margin - margin_) / options_.margin_scale);
        const auto result = static_cast<float>((margin > 0) - (margin < 0));
        return change + options_.result_weight * (result - change);
    }

    int child_node(int child) {
        if (children_[child].node >= 0) return children_[child].node;
        children_[child].node = static_cast<int32_t>(nodes_.size());
        Node node;
        const int player = node.to_move = state_.to_move;
        if (state_.finished) {
            node.is_known = true;
            node.known = sign_of(player) * value(game_.margin_of(state_, 0));
        } else if (!is_decided_ && game_.stop_wins(state_, player)) {
            node.is_known = true;
            const float margin = sign_of(player) * game_.stop_margin(state_, player);
            node.known = std::max(kWon, sign_of(player) * value(margin));
        }
        nodes_.push_back(node);
        return children_[child].node;
    }

    int select(const Node& node) const {
        const float parent = node.visits > 0 ? node.sum / static_cast<float>(node.visits) : 0.0f;
        const float width = options_.exploration * std::sqrt(static_cast<float>(node.visits + 1));
        float best = -1e9f;
        int chosen = node.first_child;
        for (int i = node.first_child; i < node.first_child + node.num_children; ++i) {
            const Child& child = children_[i];
            const auto visits = static_cast<float>(child.visits), later = static_cast<float>(child.amaf_visits);
            float mean = child.visits > 0 ? child.sum / visits : parent - kUnvisited;
            if (child.amaf_visits > 0) {
                const float share = later / (later + kAmafDoubt) * std::sqrt(options_.amaf_visits / (3.0f * visits + options_.amaf_visits));
                mean += share * (child.amaf_sum / later - mean);
            }
            const float score = mean + width * child.prior / (1.0f + visits);
            if (score > best) best = score, chosen = i;
        }
        return chosen;
    }

    // `seen` is the value of the simulation for player 0.
    void backup(int leaf, float seen) {
        update(nodes_[leaf], seen);
        for (const auto& [node, child] : path_) {
            Node& here = nodes_[node];
            update(here, seen);
            const float own = seen * sign_of(here.to_move);
            ++children_[child].visits;
            children_[child].sum += own;
            for (Child *each = first(here), *end = each + here.num_children; each != end; ++each) {
                if (!trace_.has(each->point, here.to_move)) continue;
                ++each->amaf_visits;
                each->amaf_sum += own;
            }
        }
    }

    static void update(Node& node, float seen) {
        ++node.visits;
        node.sum += seen * sign_of(node.to_move);
    }

    // --- moves of a node ---

    void expand(int node, int last, int before) {
        found_.clear();
        list_moves(last, before, true);
        if (found_.size() < kFew) {
            found_.clear();
            list_moves(last, before, false);
        }
        const auto by_logit = [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; };
        const size_t count = std::min(found_.size(), static_cast<size_t>(options_.num_moves));
        if (count < found_.size())
            std::nth_element(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count), found_.end(), by_logit);
        nodes_[node].first_child = static_cast<int32_t>(children_.size());
        nodes_[node].num_children = static_cast<int32_t>(count);
        for (size_t i = 0; i < count; ++i) {
            Child child;
            child.point = found_[i].point;
            child.prior = found_[i].logit;
            children_.push_back(child);
        }
        softmax(first(nodes_[node]), count);
    }

    // The legal dots of state_ with their logits; if `sensible`, only near dots, and in houses only captures.
    void list_moves(int last, int before, bool sensible) {
        KropkiScratch& t = KropkiScratch::local();
        const int me = state_.to_move;
        const bool zone = game_.zone_binds(state_);
        game_.each_free(state_, [&](int point) {
            if (sensible && !near_[static_cast<size_t>(point)]) return;
            if (zone && !game_.is_legal(state_, game_.board().action(point))) return;
            const int taken = game_.gain(state_, point, me, t);
            if (sensible && state_.cells()[point] & cell::kHouse && taken == 0) return;
            const int saved = game_.gain(state_, point, me ^ 1, t);
            const float logit = priors_.logit(state_, point, taken, saved, last, before);
            found_.push_back({logit + kNoise * static_cast<float>(random_.uniform()), static_cast<int16_t>(point)});
        });
    }

    static void softmax(Child* children, size_t count) {
        float sum = 0.0f;
        float most = -1e9f;
        for (size_t i = 0; i < count; ++i) most = std::max(most, children[i].prior);
        for (size_t i = 0; i < count; ++i) sum += children[i].prior = std::exp(children[i].prior - most);
        for (size_t i = 0; i < count; ++i) children[i].prior /= sum;
    }

    // Whether the most visited move keeps its place whatever the simulations that are left bring.
    bool is_settled(int num_left) const {
        int most = 0, second = 0;
        const Node& root = nodes_[0];
        for (const Child *child = first(root), *end = child + root.num_children; child != end; ++child) {
            if (child->visits > most) second = most, most = child->visits;
            else second = std::max(second, child->visits);
        }
        return most - second > num_left;
    }

    // Moves that begin a chase which wins, or spoil one of the enemy's, become more likely.
    template <class IsLate>
    void favour_chases(const IsLate& is_late) {
        moves_.clear();
        Child* const children = first(nodes_[0]);
        const auto count = static_cast<size_t>(nodes_[0].num_children);
        for (size_t i = 0; i < count; ++i) moves_.push_back(children[i].point);
        if (!chase_.judge(root_, moves_, options_.chase_nodes, bonuses_, is_late)) return;
        for (size_t i = 0; i < count; ++i) children[i].prior = std::log(children[i].prior) + kChase * bonuses_[i];
        softmax(children, count);
    }

    static constexpr int kAskEvery = 64;             // simulations
    static constexpr size_t kMostChildren = 1 << 24;  // of all nodes: half a gigabyte
    static constexpr size_t kFew = 4;                // moves, below which all legal ones are looked at
    static constexpr float kWon = 0.9f;              // least value of a game that STOP would win
    static constexpr float kUnvisited = 0.1f;        // what a move that was not tried is thought to be worse than its node
    static constexpr float kAmafDoubt = 20.0f;       // later moves at which AMAF is believed half
    static constexpr float kNoise = 0.05f;           // of logits: tells equal moves apart
    static constexpr float kChase = 2.0f;            // what a chase that is won or spoiled adds to a logit

    const KropkiTactics& game_;
    KropkiPlayoutOptions options_;
    KropkiPriors priors_;
    KropkiPlayout playout_;
    KropkiChase chase_;
    int max_dots_;
    Random random_;
    State root_, state_;
    KropkiNearness root_near_{}, near_{};
    KropkiTrace trace_;
    std::vector<Node> nodes_;
    std::vector<Child> children_;
    std::vector<Candidate> found_;
    std::vector<std::pair<int, int>> path_;  // nodes and the children chosen there
    std::vector<int16_t> moves_;             // of the root
    std::vector<float> bonuses_;
    float margin_ = 0.0f;  // of player 0 at the root
    bool is_decided_ = false;
};

}  // namespace dotzero
