// The values of all sets of lines at once, from the rules alone: the slow and certain way.
//
// One byte for each subset of the undrawn lines of a position, filled from the empty set up. It knows no chains
// and no captures, hence misere scoring as well, and serves as a judge of the solver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dotzero {

// `boxes`: each open box as a mask of undrawn lines (bit i: the i-th). Value of every subset that may still be
// undrawn, for the player to move: boxes to come less the other's, in misere the reverse.
inline void fill_values(int num_lines, const std::vector<uint32_t>& boxes, bool misere, int8_t* values) {
    std::vector<std::vector<uint32_t>> beside(num_lines);
    for (int line = 0; line < num_lines; ++line)
        for (const uint32_t box : boxes)
            if (box >> line & 1) beside[line].push_back(box);
    const int worth = misere ? -1 : 1;
    values[0] = 0;
    for (uint32_t undrawn = 1; undrawn < uint32_t{1} << num_lines; ++undrawn) {
        int best = INT8_MIN;
        for (uint32_t left = undrawn; left; left &= left - 1) {
            const int line = __builtin_ctz(left);
            const uint32_t bit = uint32_t{1} << line;
            int closed = 0;
            for (const uint32_t box : beside[line]) closed += (box & undrawn) == bit;
            const int rest = values[undrawn ^ bit];
            best = std::max(best, closed ? worth * closed + rest : -rest);
        }
        values[undrawn] = static_cast<int8_t>(best);
    }
}

}  // namespace dotzero
