// Kropki: one playout. Both players put dots near the dots that are there, at random but for two habits: who can take
// something beside the last dot takes it, and who has been cut there, with one point left that links the two sides,
// links them. Houses are left alone. After so many dots the margin counts.
//
// More habits cost more than they are worth: who also saved the dots that the last one threatened took a quarter longer
// and did not win more (checkpoints/LOG.md has the match).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kropki_tactics.hpp"
#include "random.hpp"

namespace dotzero {

// 1 where a dot is near, by point of the padded board.
using KropkiNearness = std::array<uint8_t, KropkiBoard::kMaxSize>;

inline void mark_near(const KropkiBoard& board, int point, int radius, KropkiNearness& near) {
    const int left = std::max(0, board.column(point) - radius), right = std::min(board.width() - 1, board.column(point) + radius);
    const int top = std::max(0, board.row(point) - radius), bottom = std::min(board.height() - 1, board.row(point) + radius);
    for (int y = top; y <= bottom; ++y) std::fill_n(near.begin() + board.point(left, y), right - left + 1, uint8_t{1});
}

// Who put a dot where in one simulation, in the tree or in the playout.
class KropkiTrace {
  public:
    void add(int point, int player) {
        player_[static_cast<size_t>(point)] = static_cast<int8_t>(player + 1);
        points_.push_back(static_cast<int16_t>(point));
    }
    bool has(int point, int player) const { return player_[static_cast<size_t>(point)] == player + 1; }
    void clear() {
        for (const int16_t point : points_) player_[static_cast<size_t>(point)] = 0;
        points_.clear();
    }

  private:
    std::array<int8_t, KropkiBoard::kMaxSize> player_{};
    std::vector<int16_t> points_;
};

class KropkiPlayout {
  public:
    using State = KropkiState;

    KropkiPlayout(const KropkiTactics& game, int radius) : game_(game), radius_(radius) {}

    // Plays on for at most `max_dots` dots. `last` is the point of the last dot, -1 for none.
    void run(State& s, const KropkiNearness& near, int last, int max_dots, Random& random, KropkiTrace& trace) {
        KropkiScratch& t = KropkiScratch::local();
        begin(s, near);
        for (int i = 0; i < max_dots && !s.finished; ++i) {
            int point = last >= 0 ? answer(s, last, t) : -1;
            if (point < 0) point = draw(s, random, t);
            if (point < 0) return;
            trace.add(point, s.to_move);
            game_.play<false>(s, point, t);
            add_near(s, point);
            last = point;
        }
    }

  private:
    void begin(const State& s, const KropkiNearness& near) {
        const KropkiBoard& board = game_.board();
        std::copy_n(near.begin(), board.size(), listed_.begin());
        num_ = 0;
        for (int y = 0; y < board.height(); ++y)
            for (int x = 0, point = board.point(0, y); x < board.width(); ++x, ++point) {
                points_[static_cast<size_t>(num_)] = static_cast<int16_t>(point);
                num_ += listed_[static_cast<size_t>(point)] && KropkiTactics::is_free(s, point);
            }
    }

    // A capture beside the last dot, else the one point that links what the last dot cut; -1 for neither.
    int answer(State& s, int last, KropkiScratch& t) const {
        const int player = s.to_move;
        const uint8_t* const near = s.near(player);
        const bool cut = game_.num_gaps(near[last]) >= 2;
        int num_links = 0, link = -1;
        for (int d = 0; d < 8; ++d) {
            const int point = last + game_.board().offset(d);
            if (game_.num_gaps(near[point]) < 2 || !KropkiTactics::is_free(s, point)) continue;
            if (game_.gain(s, point, player, t) > 0) return point;
            if (cut && game_.link_at(s, point, player) == KropkiTactics::Link::kJoins) ++num_links, link = point;
        }
        return num_links == 1 ? link : -1;
    }

    // A random listed point, outside houses unless it captures; -1 if none is left.
    int draw(State& s, Random& random, KropkiScratch& t) {
        while (num_ > 0) {
            int16_t& place = points_[random.below(static_cast<uint32_t>(num_))];
            const int point = place;
            place = points_[static_cast<size_t>(--num_)];
            if (!KropkiTactics::is_free(s, point)) continue;
            if (s.cells()[point] & cell::kHouse && game_.gain(s, point, s.to_move, t) == 0) continue;
            return point;
        }
        return -1;
    }

    void add_near(const State& s, int dot) {
        const KropkiBoard& board = game_.board();
        const int left = std::max(0, board.column(dot) - radius_), right = std::min(board.width() - 1, board.column(dot) + radius_);
        const int top = std::max(0, board.row(dot) - radius_), bottom = std::min(board.height() - 1, board.row(dot) + radius_);
        for (int y = top; y <= bottom; ++y)
            for (int x = left, point = board.point(left, y); x <= right; ++x, ++point) {
                if (listed_[static_cast<size_t>(point)]) continue;
                listed_[static_cast<size_t>(point)] = 1;
                if (KropkiTactics::is_free(s, point)) points_[static_cast<size_t>(num_++)] = static_cast<int16_t>(point);
            }
    }

    const KropkiTactics& game_;
    int radius_;
    int num_ = 0;
    std::array<int16_t, KropkiBoard::kMaxSize> points_;  // those that may still be drawn
    KropkiNearness listed_;                              // and those that were
};

}  // namespace dotzero
