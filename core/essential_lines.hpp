// Dots and Boxes under normal scoring: which lines can matter, for the tree search below its root.
//
// What the solver knows of every position (boxes_planes.hpp, solver.hpp) holds for a network's search as well, since
// best play for the final margin is best for whatever grows with it. So between two nodes of a tree boxes are taken as
// long as nothing is lost by it, and a node needs no more edges than
//   - with boxes on offer, which only a double deal leaves there: taking them and that double deal;
//   - else one of each set of interchangeable safe lines, and one opening of each chain or loop.
// A tree of so many simulations reaches about twice as deep into the game. After Barker and Korf, "Solving
// Dots-And-Boxes", AAAI 2012.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "boxes.hpp"
#include "boxes_planes.hpp"

namespace dotzero {

// Line numbers run row by row without gaps, planes have one bit more a row.
inline LineSet undrawn_lines(const Boxes& game, const BoxesState& state) {
    const auto open_row = [&](int first, int length) {
        const int word = first >> 6, shift = first & 63;
        uint64_t drawn = state.drawn[word] >> shift;
        if (shift + length > 64) drawn |= state.drawn[word + 1] << (64 - shift);
        return ~drawn & ((uint64_t{1} << length) - 1);
    };
    LineSet lines;
    const int stride = game.columns() + 1;
    for (int r = 0; r <= game.rows(); ++r)
        lines.across |= open_row(game.horizontal(r, 0), game.columns()) << (r * stride);
    for (int r = 0; r < game.rows(); ++r) lines.down |= open_row(game.vertical(r, 0), stride) << (r * stride);
    return lines;
}

class EssentialLines {
  public:
    explicit EssentialLines(const Boxes& game) : planes_(game.rows(), game.columns()) {}

    // Takes boxes for the player to move as long as all that could follow without them still can.
    void settle(const Boxes& game, BoxesState& state) const {
        LineSet lines = undrawn_lines(game, state);
        Degrees degrees = planes_.degrees(lines);
        if (!degrees.one) return;
        const int left = planes_.take_all(lines, degrees).left;
        for (int slot = free_capture(lines, degrees, left); slot >= 0; slot = free_capture(lines, degrees, left)) {
            game.step(state, planes_.line(slot));
            lines.remove(slot);
            degrees = planes_.degrees(lines);
        }
    }

    // Keeps one of each set of lines that are worth the same, with all of their priors, and none that is worth no more
    // than another; returns how many. `actions` are all legal ones of a settled position, which must not be finished.
    int keep(const Boxes& game, const BoxesState& state, uint16_t* actions, float* priors, int count) const {
        const LineSet lines = undrawn_lines(game, state);
        const Degrees degrees = planes_.degrees(lines);
        std::array<int16_t, kMaxSlots> essential;  // by slot: the line that stands for it
        essential.fill(-1);
        if (degrees.one) {
            stand_for_deals(lines, degrees, essential);
        } else {
            stand_for_quiet(lines, degrees, essential);
        }
        std::array<float, kMaxSlots> sums{};
        float total = 0.0f;
        for (int i = 0; i < count; ++i) {
            const int slot = planes_.slot(actions[i]), kept = essential[static_cast<size_t>(slot)];
            if (kept < 0) continue;
            sums[static_cast<size_t>(kept)] += priors[i];
            total += priors[i];
        }
        int number = 0;
        for (int i = 0; i < count; ++i) {
            const auto slot = static_cast<size_t>(planes_.slot(actions[i]));
            if (essential[slot] != static_cast<int>(slot)) continue;
            actions[number] = actions[i];
            priors[number++] = sums[slot];
        }
        if (!(total > 0.0f)) total = 1.0f, std::fill(priors, priors + number, 1.0f / static_cast<float>(number));
        for (int i = 0; i < number; ++i) priors[i] /= total;
        return number;
    }

  private:
    static constexpr int kMaxSlots = BoxesPlanes::kMaxSlots;
    using Standing = std::array<int16_t, kMaxSlots>;

    // A line that takes a box and leaves the double deal, if there is one, as cheap as it was; else -1.
    int free_capture(const LineSet& lines, const Degrees& degrees, int left) const {
        for (uint64_t ends = degrees.one; ends; ends &= ends - 1) {
            LineSet after = lines;
            const int slot = last_side(lines, ends & (~ends + 1));
            after.remove(slot);
            if (planes_.take_all(after, planes_.degrees(after)).left == left) return slot;
        }
        return -1;
    }

    // The undrawn side of a box that has one.
    int last_side(const LineSet& lines, uint64_t box) const {
        const LineSet sides = planes_.around(box);
        return LineSet{lines.across & sides.across, lines.down & sides.down}.first();
    }

    // Boxes on offer of which none is taken for nothing: take one, or draw the line that leaves just these.
    void stand_for_deals(const LineSet& lines, const Degrees& degrees, Standing& essential) const {
        const Capture capture = planes_.take_all(lines, degrees);
        const int16_t taking = static_cast<int16_t>(last_side(lines, degrees.one & (~degrees.one + 1)));
        const LineSet takes = planes_.around(degrees.one);
        int16_t dealing = -1;
        lines.each([&](int slot) {
            const auto place = static_cast<size_t>(slot);
            if (takes.has(slot)) {
                essential[place] = taking;
                return;
            }
            LineSet after = lines;
            after.remove(slot);
            const Capture others = planes_.take_all(after, planes_.degrees(after));
            if (!(others.rest == capture.rest) || others.taken != capture.taken) return;
            if (dealing < 0) dealing = static_cast<int16_t>(slot);
            essential[place] = dealing;
        });
    }

    // Nothing on offer.
    void stand_for_quiet(const LineSet& lines, const Degrees& degrees, Standing& essential) const {
        planes_.safe(lines, degrees).each([&](int slot) {
            essential[static_cast<size_t>(slot)] = static_cast<int16_t>(planes_.first_of_group(lines, slot));
        });
        for (uint64_t boxes = degrees.two; boxes;) {
            const uint64_t chain = planes_.component(lines, boxes);
            boxes &= ~chain;
            const auto opening = static_cast<int16_t>(planes_.opening(lines, chain));
            const LineSet beside = planes_.around(chain);
            LineSet{lines.across & beside.across, lines.down & beside.down}.each(
                [&](int slot) { essential[static_cast<size_t>(slot)] = opening; });
        }
    }

    BoxesPlanes planes_;
};

}  // namespace dotzero
