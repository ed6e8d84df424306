// Kropki: how dots hang together, and what a new one shuts in.
//
// A dot is ORed into eight neighbour masks, and its own mask says at once whether anything can have been closed.
// Runs of neighbours that hang together elsewhere are walked round. Union-find knows that, and may err on the side
// of "together": captured dots keep their sets.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "kropki_board.hpp"
#include "kropki_scores.hpp"
#include "kropki_walk.hpp"

namespace dotzero {

class KropkiLinks : public KropkiScores {
  public:
    explicit KropkiLinks(const KropkiOptions& options) : KropkiScores(options), gaps_(kropki_gaps()) {}

  protected:
    // An enemy dot that the player does not hold yet.
    static bool is_prey(uint8_t value, int player) {
        return cell::dot(value) == 2 - player && !(value & cell::held(player));
    }

    const KropkiGaps& gaps(uint8_t mask) const { return gaps_[mask]; }

    // Each neighbour of a dot learns, or forgets, in which direction it lies: three bytes of three rows.
    void add_to_masks(uint8_t* near, int point) const {
        const int row = board().stride();
        change_word(near + point - row - 1, [](uint32_t word) { return word | kAbove; });
        change_word(near + point - 1, [](uint32_t word) { return word | kBeside; });
        change_word(near + point + row - 1, [](uint32_t word) { return word | kBelow; });
    }
    void remove_from_masks(uint8_t* near, int point) const {
        const int row = board().stride();
        change_word(near + point - row - 1, [](uint32_t word) { return word & ~kAbove; });
        change_word(near + point - 1, [](uint32_t word) { return word & ~kBeside; });
        change_word(near + point + row - 1, [](uint32_t word) { return word & ~kBelow; });
    }

    int find(int16_t* sets, int point) const {
        while (sets[point] != point) {
            sets[point] = sets[sets[point]];
            point = sets[point];
        }
        return point;
    }

    // The roots of the runs of neighbours of a dot; true if two of them are the same.
    bool find_roots(KropkiState& s, int point, const KropkiGaps& gaps, std::array<int, 4>& roots) const {
        bool shared = false;
        for (int i = 0; i < gaps.count; ++i) {
            roots[i] = find(s.sets(), point + board().offset(gaps.run[i]));
            for (int j = 0; j < i; ++j) shared |= roots[i] == roots[j];
        }
        return shared;
    }

    // The regions that a dot of `player` on `point` (already on the board) shuts in, into scratch.regions; roots
    // are those of the runs of its neighbours.
    void find_regions(const KropkiState& s, int point, int player, const std::array<int, 4>& roots, KropkiScratch& t) const {
        const KropkiGaps& gaps = gaps_[s.near(player)[point]];
        t.num_regions = 0;
        for (int i = 0, seen = 0; i < gaps.count; ++i) {
            if (seen >> i & 1) continue;
            std::array<int, 4> sectors{};
            int num_sectors = 0;
            for (int j = i; j < gaps.count; ++j)
                if (roots[j] == roots[i]) sectors[num_sectors++] = j, seen |= 1 << j;
            if (num_sectors > 1) walk_sectors(s, point, player, gaps, sectors, num_sectors, t);
        }
    }

    // Finds the regions that a dot would shut in and leaves the game as it was; false if there can be none.
    bool try_dot(KropkiState& s, int point, int player, KropkiScratch& t) const {
        uint8_t* const near = s.near(player);
        std::array<int, 4> roots{};
        if (!find_roots(s, point, gaps(near[point]), roots)) return false;
        const uint8_t before = s.cells()[point];
        s.cells()[point] = cell::live(player) | cell::placed(player);
        add_to_masks(near, point);
        find_regions(s, point, player, roots, t);
        remove_from_masks(near, point);
        s.cells()[point] = before;
        return t.num_regions > 0;
    }

    // Joins a dot with its live neighbours; the regions that it shuts in come into scratch.regions.
    [[gnu::always_inline]] void link(KropkiState& s, int point, int player, KropkiScratch& t) const {
        int16_t* const sets = s.sets();
        const uint8_t mask = s.near(player)[point];
        sets[point] = static_cast<int16_t>(point);
        t.num_regions = 0;
        if (mask == 0) return;
        const KropkiGaps& gaps = gaps_[mask];
        if (gaps.count < 2) {
            sets[point] = sets[point + board().offset(__builtin_ctz(mask))];  // any dot of the set will do
            return;
        }
        std::array<int, 4> roots{};
        if (find_roots(s, point, gaps, roots)) find_regions(s, point, player, roots, t);
        for (int i = 0; i < gaps.count; ++i) sets[roots[i]] = static_cast<int16_t>(roots[0]);
        sets[point] = static_cast<int16_t>(roots[0]);
    }

    // Joins a dot with its live neighbours and asks no more.
    void join(KropkiState& s, int point, int player) const {
        int16_t* const sets = s.sets();
        sets[point] = static_cast<int16_t>(point);
        for (unsigned left = s.near(player)[point]; left; left &= left - 1) {
            const int beside = point + board().offset(__builtin_ctz(left));
            sets[find(sets, beside)] = static_cast<int16_t>(find(sets, point));
        }
    }

    // K: the points 4-connected to `inside` that are not live dots of the player. It must be shut in.
    void find_points(const KropkiState& s, int inside, int player, KropkiRegion& region, KropkiScratch& t) const {
        const uint8_t* const cells = s.cells();
        t.clear_marks();
        region.points.clear();
        visit(t, cells, inside, cell::live(player), region.points);
        flood(t, cells, cell::live(player), region.points);
        count(s, player, region);
    }

    // What of a region's points is left to take.
    static void count(const KropkiState& s, int player, KropkiRegion& region) {
        region.num_enemies = region.num_playable = 0;
        for (const int16_t point : region.points) {
            region.num_enemies += is_prey(s.cells()[point], player);
            region.num_playable += !(s.cells()[point] & cell::kOccupied);
        }
    }

    static void visit(KropkiScratch& t, const uint8_t* cells, int point, uint8_t walls, KropkiPoints& points) {
        if (cells[point] == cell::kBorder || cells[point] & walls || !t.mark(point)) return;
        points.push_back(point);
    }

    void flood(KropkiScratch& t, const uint8_t* cells, uint8_t walls, KropkiPoints& points) const {
        for (size_t i = 0; i < points.size(); ++i)
            for (int d = 0; d < 8; d += 2) visit(t, cells, points[i] + board().offset(d), walls, points);
    }

  private:
    // A dot as its neighbours to the left, straight and to the right see it: one byte each, lowest first (all
    // supported processors are little-endian).
    static constexpr uint32_t kAbove = 0x080402, kBeside = 0x100001, kBelow = 0x204080;

    template <class Change>
    static void change_word(uint8_t* at, Change change) {
        uint32_t word;
        std::memcpy(&word, at, sizeof word);
        word = change(word);
        std::memcpy(at, &word, sizeof word);
    }

    void walk_sectors(const KropkiState& s, int point, int player, const KropkiGaps& gaps, const std::array<int, 4>& sectors,
                      int num_sectors, KropkiScratch& t) const {
        const uint8_t* const near = s.near(player);
        int num_enclosed = 0, num_going = 0;
        std::array<bool, 4> going{};
        for (int k = 0; k < num_sectors; ++k) {
            const auto gap = static_cast<size_t>(sectors[k]);
            going[k] = !(gaps.dirs[gap] & board().edge(point));
            num_going += going[k];
            if (going[k]) t.contours[gap].begin(point, gaps.next[gap]);
        }
        for (int steps = 8; num_going > 0 && num_enclosed < num_sectors - 1; steps *= 2)
            for (int k = 0; k < num_sectors && num_enclosed < num_sectors - 1; ++k) {
                const auto gap = static_cast<size_t>(sectors[k]);
                if (!going[k] || !t.contours[gap].walk(board(), near, steps)) continue;
                going[k] = false;
                --num_going;
                if (!t.contours[gap].encloses()) continue;
                ++num_enclosed;
                add_region(s, point + board().offset(gaps.open[gap]), player, t.contours[gap], t);
            }
    }

    void add_region(const KropkiState& s, int inside, int player, const KropkiContour& contour, KropkiScratch& t) const {
        KropkiRegion& region = t.regions[static_cast<size_t>(t.num_regions++)];
        region.contour = &contour;
        find_points(s, inside, player, region, t);
    }

    const std::array<KropkiGaps, 256>& gaps_;
};

}  // namespace dotzero
