// The end of Dots and Boxes: nothing but chains and loops is left, and their lengths alone decide.
//
// Whoever must open one opens the shortest chain or the shortest loop. The opponent takes it whole, or all but two
// boxes (four of a loop) and lets the other open again. Chains of one or two boxes cannot be declined (two are
// opened in the middle). That the shortest ones suffice is checked against brute force by the tests; for chains
// of three and more see Buzzard and Ciere, "Playing simple loony dots-and-boxes endgames optimally", Integers 2014.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "boxes_planes.hpp"

namespace dotzero {

// How often each length occurs, and the value for the player who must open one of them.
class ChainLengths {
  public:
    void add_chain(int length) { ++chains_[length]; }
    void add_loop(int length) { ++loops_[length]; }

    int value() const {
        std::array<int8_t, kMaxLength> chains{}, loops{};
        const int num_chains = sorted(chains_, chains), num_loops = sorted(loops_, loops);
        // value[j]: without the shorter chains, loops from j on left; filled from the longest to the shortest.
        std::array<int8_t, kMaxLength + 1> value{};
        for (int i = num_chains; i >= 0; --i)
            for (int j = num_loops; j >= 0; --j) {
                if (i == num_chains && j == num_loops) continue;
                int best = -kMaxLength;
                if (i < num_chains) best = opened(chains[i], chains[i] >= 3 ? 2 : 0, value[j]);
                if (j < num_loops) best = std::max(best, opened(loops[j], 4, value[j + 1]));
                value[j] = static_cast<int8_t>(best);
            }
        return value[0];
    }

  private:
    static constexpr int kMaxLength = 64;  // boxes of a board, at most 49

    // For the opener; `left` are the boxes of a double deal, as in Capture.
    static int opened(int length, int left, int rest) { return -Capture{{}, length, left}.value(rest); }

    static int sorted(const std::array<uint8_t, kMaxLength>& counts, std::array<int8_t, kMaxLength>& lengths) {
        int number = 0;
        for (int length = 1; length < kMaxLength; ++length)
            for (int i = 0; i < counts[length]; ++i) lengths[number++] = static_cast<int8_t>(length);
        return number;
    }

    std::array<uint8_t, kMaxLength> chains_{}, loops_{};
};

// The value of a position whose open boxes all have two undrawn sides.
inline int chains_value(const BoxesPlanes& planes, const LineSet& lines, uint64_t boxes) {
    ChainLengths lengths;
    while (boxes) {
        const uint64_t component = planes.component(lines, boxes);
        boxes &= ~component;
        const int length = __builtin_popcountll(component);
        const int num_lines = lines.among(planes.around(component)).count();
        if (num_lines == length) {
            lengths.add_loop(length);
        } else {
            lengths.add_chain(length);
        }
    }
    return lengths.value();
}

}  // namespace dotzero
