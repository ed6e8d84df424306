// Kropki: forced chases (ladders). The attacker threatens a capture with every move, the defender has few answers, and
// in the end a capture cannot be stopped.
//
// The defender's answers are known: a chain that needs one more dot is stopped by a dot on that point, or by capturing
// dots of the chain, and by nothing else; whoever plays elsewhere loses what the threat takes, which may be less than
// what answers would lose. So the search is over few moves: the attacker's threats near the last answer, these
// answers, and none. What it finds is the least that the attacker nets; where its nodes run out it finds nothing.
//
// Two rules let other moves save the defender: visitors that wait in a house fall with any move (owner_turn), and a
// point can be closed without a capture (capture_empty). There it finds good attacks, and proves nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kropki_tactics.hpp"

namespace dotzero {

class KropkiChase {
  public:
    using State = KropkiState;

    explicit KropkiChase(const KropkiTactics& game) : game_(game), levels_(kMaxAttacks + 1) {}

    // What the player to move nets by force, in points, if it begins with a dot on `first`; 0 where nothing is found
    // with so many nodes (moves of the attacker).
    int net_of(const State& s, int first, int max_nodes) {
        nodes_left_ = max_nodes;
        attacker_ = s.to_move;
        margin_ = game_.margin_of(s, attacker_);
        return attack(s, first, kMaxAttacks);
    }

    // Whether a chase could begin there at all: beside a dot of the player to move, in nobody's solo phase.
    bool can_begin(const State& s, int point) const {
        return !s.finished && s.stopped < 0 && KropkiTactics::is_free(s, point) && s.near(s.to_move)[point];
    }

    // 1 for each of the moves that begins a chase which nets more than one dot could, plus 1 if it spoils all chases that
    // the enemy would have otherwise. False if no move has any, or if `is_late()`, asked between chases, says yes.
    template <class IsLate>
    bool judge(const State& s, const std::vector<int16_t>& moves, int max_nodes, std::vector<float>& bonuses,
               const IsLate& is_late) {
        bonuses.assign(moves.size(), 0.0f);
        if (s.stopped >= 0) return false;
        KropkiScratch& t = KropkiScratch::local();
        trial_ = s;
        const int takes = game_.best_gain(trial_, s.to_move, t);
        bool any = false;
        for (size_t i = 0; i < moves.size(); ++i) {
            if (is_late()) return false;
            if (!can_begin(s, moves[i]) || net_of(s, moves[i], max_nodes) <= takes) continue;
            bonuses[i] += 1.0f;
            any = true;
        }
        find_enemy_chases(s, max_nodes, is_late);
        if (enemy_starts_.empty()) return any;
        for (size_t i = 0; i < moves.size(); ++i) {
            if (is_late()) return false;
            if (!spoils(s, moves[i], max_nodes)) continue;
            bonuses[i] += 1.0f;
            any = true;
        }
        return any;
    }

  private:
    static constexpr int kMaxAttacks = 16;
    static constexpr int kReach = 3;          // king's steps between an answer and the next attack
    static constexpr size_t kMostStarts = 4;  // of chases of the enemy

    // One attack of the line that is looked at.
    struct Level {
        State attacked, answered, trial;
        std::vector<int16_t> answers, attacks;
    };

    // The points netted so far, with those that one more capture would take.
    int gained(const State& s, int taken) const {
        return std::max(0, static_cast<int>(game_.margin_of(s, attacker_) - margin_) + taken);
    }
    int net(const State& s) const { return gained(s, 0); }

    // The most that the attacker takes on one of these points, if nothing is done about it.
    int most_taken(State& s, const std::vector<int16_t>& points, KropkiScratch& t) const {
        int most = 0;
        for (const int16_t point : points) most = std::max(most, game_.gain(s, point, attacker_, t));
        return most;
    }

    // Plays the threat on `point`. The points netted, the fewest that any answer, or none, allows; 0 if one saves the
    // defender. By a STOP it loses all that is not grounded, so no less than by playing elsewhere.
    int attack(const State& s, int point, int attacks_left) {
        if (--nodes_left_ < 0) return 0;
        Level& here = levels_[static_cast<size_t>(attacks_left)];
        KropkiScratch& t = KropkiScratch::local();
        here.attacked = s;
        const int taken = game_.play<false>(here.attacked, point, t);
        if (here.attacked.finished || taken > 0) return net(here.attacked);
        if (!(here.attacked.cells()[point] & cell::live(attacker_)) || here.attacked.to_move == attacker_) return 0;
        here.answers.clear();
        add_captures(here.attacked, attacker_, here.answers, t);
        if (here.answers.empty()) return 0;  // no threat
        int least = gained(here.attacked, most_taken(here.attacked, here.answers, t));
        add_captures(here.attacked, attacker_ ^ 1, here.answers, t);
        for (const int16_t answer : here.answers) {
            here.answered = here.attacked;
            game_.play<false>(here.answered, answer, t);
            least = std::min(least, go_on(here, answer, attacks_left, t));
            if (least == 0) return 0;
        }
        return least;
    }

    // The attacker's turn after an answer: it takes what it can, or goes on with the first threat that works.
    int go_on(Level& here, int answer, int attacks_left, KropkiScratch& t) {
        const State& s = here.answered;
        if (s.finished) return net(s);
        if (s.to_move != attacker_) return 0;  // the answer captured, and by the rules moves again
        here.trial = s;
        const int taken = game_.best_gain(here.trial, attacker_, t);
        if (taken > 0) return gained(s, taken);
        if (attacks_left <= 1) return 0;
        here.attacks.clear();
        add_near(s, answer, here.attacks);
        for (const int16_t point : here.attacks) {
            const int netted = attack(s, point, attacks_left - 1);
            if (netted > 0) return netted;
            if (nodes_left_ < 0) return 0;
        }
        return 0;
    }

    void add_captures(State& s, int player, std::vector<int16_t>& points, KropkiScratch& t) const {
        game_.each_free(s, [&](int point) {
            if (game_.gain(s, point, player, t) > 0) points.push_back(static_cast<int16_t>(point));
        });
    }

    // Free points beside the attacker's dots and near a point, the nearest first.
    void add_near(const State& s, int center, std::vector<int16_t>& points) const {
        const KropkiBoard& board = game_.board();
        const int x = board.column(center), y = board.row(center);
        for (int reach = 1; reach <= kReach; ++reach)
            for (int v = std::max(0, y - reach); v <= std::min(board.height() - 1, y + reach); ++v)
                for (int u = std::max(0, x - reach); u <= std::min(board.width() - 1, x + reach); ++u) {
                    const int point = board.point(u, v);
                    const bool on_ring = std::max(std::abs(u - x), std::abs(v - y)) == reach;
                    if (on_ring && KropkiTactics::is_free(s, point) && s.near(attacker_)[point])
                        points.push_back(static_cast<int16_t>(point));
                }
    }

    // Where the enemy could begin a chase now, if it were to move and could take nothing by one dot.
    template <class IsLate>
    void find_enemy_chases(const State& s, int max_nodes, const IsLate& is_late) {
        enemy_starts_.clear();
        enemy_view_ = s;
        enemy_view_.to_move ^= 1;
        const int enemy = enemy_view_.to_move;
        if (game_.best_gain(enemy_view_, enemy, KropkiScratch::local()) > 0) return;
        game_.each_free(s, [&](int point) {
            if (enemy_starts_.size() >= kMostStarts || !can_begin(enemy_view_, point) || is_late()) return;
            if (net_of(enemy_view_, point, max_nodes) > 0) enemy_starts_.push_back(static_cast<int16_t>(point));
        });
    }

    // Whether none of these chases works any more after a move, and nothing else is laid open by it.
    bool spoils(const State& s, int move, int max_nodes) {
        KropkiScratch& t = KropkiScratch::local();
        trial_ = s;
        game_.play<false>(trial_, move, t);
        if (trial_.finished || trial_.to_move == s.to_move) return false;
        if (game_.best_gain(trial_, trial_.to_move, t) > 0) return false;
        for (const int16_t start : enemy_starts_)
            if (KropkiTactics::is_free(trial_, start) && net_of(trial_, start, max_nodes) > 0) return false;
        return true;
    }

    const KropkiTactics& game_;
    std::vector<Level> levels_;  // by attacks left
    std::vector<int16_t> enemy_starts_;
    State trial_, enemy_view_;
    float margin_ = 0.0f;  // of the attacker before the chase
    int attacker_ = 0, nodes_left_ = 0;
};

}  // namespace dotzero
