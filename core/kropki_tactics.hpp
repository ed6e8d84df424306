// Kropki: tactics of one move. What a dot takes, and what the enemy could take after it.
//
// A dot that shuts nothing in and enters no house leaves the enemy's captures as they are, but for three things: it
// blocks the one on its own point, it adds itself to those whose region it lies in, and in a region that held no
// prey it makes one. So one look at the enemy's closing points gives the risk of every quiet dot; the few others
// are played out on a copy.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kropki_encoding.hpp"

namespace dotzero {

class KropkiTactics : public KropkiGame {
  public:
    explicit KropkiTactics(const KropkiGame& game) : KropkiGame(game) {}

    static bool is_free(const State& s, int point) { return !(s.cells()[point] & cell::kOccupied); }

    // Into how many runs live neighbours fall, by their mask: only with two or more can a dot shut in or link anything.
    int num_gaps(uint8_t mask) const { return gaps(mask).count; }

    // How a dot of `player` on a point would hang on its dots.
    enum class Link { kNone, kOne, kSame, kJoins };  // no run of neighbours, one, several of one set, of several sets
    Link link_at(State& s, int point, int player) const {
        const KropkiGaps& runs = gaps(s.near(player)[point]);
        if (runs.count < 2) return s.near(player)[point] ? Link::kOne : Link::kNone;
        std::array<int, 4> roots{};
        find_roots(s, point, runs, roots);
        for (int i = 1; i < runs.count; ++i)
            if (roots[static_cast<size_t>(i)] != roots[0]) return Link::kJoins;
        return Link::kSame;
    }

    // Enemy dots that a dot of `player` on a free point would take. The game is afterwards as it was; the regions
    // that the dot would shut in are left in the scratch.
    int gain(State& s, int point, int player, KropkiScratch& t) const {
        t.num_regions = 0;
        if (gaps(s.near(player)[point]).count < 2 || !try_dot(s, point, player, t)) return 0;
        int taken = 0;
        for (int i = 0; i < t.num_regions; ++i) taken += prey_in(s, t.regions[static_cast<size_t>(i)], player);
        return taken;
    }

    // Whether a player who is to move would win by STOP.
    bool stop_wins(const State& s, int player) const {
        return options().stop == KropkiStop::kGrounding && !s.finished && stop_margin(s, player) > 0;
    }

    // The most that one dot of `player` could take.
    int best_gain(State& s, int player, KropkiScratch& t) const {
        int best = 0;
        if (s.finished) return best;
        each_free(s, [&](int point) { best = std::max(best, gain(s, point, player, t)); });
        return best;
    }

    // By point of the padded board; 0 on points that are not free.
    struct Risks {
        std::array<int16_t, KropkiBoard::kMaxSize> lost;    // most dots that the enemy takes at once or could take next
        std::array<uint8_t, KropkiBoard::kMaxSize> exposed;  // 1 where the new dot would be among them
    };

    // What the enemy could take by one dot after a dot of the player to move on each free point. The game is
    // afterwards as it was.
    void find_risks(State& s, Risks& found) const {
        const auto size = static_cast<size_t>(board().size());
        std::fill_n(found.lost.begin(), size, int16_t{0});
        std::fill_n(found.exposed.begin(), size, uint8_t{0});
        if (s.finished) return;
        KropkiScratch& t = KropkiScratch::local();
        const int player = s.to_move, enemy = player ^ 1;
        int best = 0, second = 0, best_point = -1;
        each_free(s, [&](int point) {
            const int taken = gain(s, point, enemy, t);
            expose(s, t, taken, found);
            if (taken > best) second = best, best = taken, best_point = point;
            else second = std::max(second, taken);
        });
        each_free(s, [&](int point) {
            const auto p = static_cast<size_t>(point);
            const bool shuts_in = gaps(s.near(player)[point]).count >= 2 && try_dot(s, point, player, t);
            if (shuts_in || s.cells()[point] & cell::house(enemy)) play_out(s, point, found, t);
            else found.lost[p] = static_cast<int16_t>(std::max<int>(found.lost[p], point == best_point ? second : best));
        });
    }

    template <class Visit>
    void each_free(const State& s, const Visit& visit) const {
        for (int y = 0; y < board().height(); ++y)
            for (int x = 0, point = board().point(0, y); x < board().width(); ++x, ++point)
                if (is_free(s, point)) visit(point);
    }

  private:
    // A visitor that waits in the player's own house falls wherever the player moves: no one dot takes it.
    static int prey_in(const State& s, const KropkiRegion& region, int player) {
        if (region.num_enemies == 0) return 0;
        int taken = 0;
        for (const int16_t inside : region.points)
            taken += is_prey(s.cells()[inside], player) && !(s.cells()[inside] & cell::house(player));
        return taken;
    }

    // A dot in one of the regions in the scratch would be taken with them.
    static void expose(const State& s, const KropkiScratch& t, int taken, Risks& found) {
        for (int i = 0; i < t.num_regions; ++i)
            for (const int16_t inside : t.regions[static_cast<size_t>(i)].points) {
                if (!is_free(s, inside)) continue;
                const auto p = static_cast<size_t>(inside);
                found.lost[p] = static_cast<int16_t>(std::max<int>(found.lost[p], taken + 1));
                found.exposed[p] = 1;
            }
    }

    void play_out(const State& s, int point, Risks& found, KropkiScratch& t) const {
        static thread_local State after;
        static thread_local Record record;
        const int player = s.to_move, enemy = player ^ 1;
        after = s;
        record.clear();
        play<false>(after, point, t, &record);
        int taken = 0, next = 0;
        for (const KropkiEnclosure& one : record)
            if (one.player == enemy) taken += one.num_dots;
        const auto p = static_cast<size_t>(point);
        found.exposed[p] = !(after.cells()[point] & cell::live(player));
        if (!after.finished)
            each_free(after, [&](int reply) {
                const int gained = gain(after, reply, enemy, t);
                next = std::max(next, gained);
                for (int i = 0; gained > 0 && i < t.num_regions; ++i)
                    for (const int16_t inside : t.regions[static_cast<size_t>(i)].points) found.exposed[p] |= inside == point;
            });
        found.lost[p] = static_cast<int16_t>(taken + next);
    }
};

}  // namespace dotzero
