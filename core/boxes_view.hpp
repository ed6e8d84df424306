// Dots and Boxes: a position as environments show it, straight from its arrays. Loading a whole game first and then
// spreading the bits of its points over planes costs three times as much.
//
// The planes are the bits that `Boxes::observe` gives, see envs/boxes.py. Letters: R x C boxes, W = C + 1 dots a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "boxes.hpp"

namespace dotzero {

class BoxesView {
  public:
    explicit BoxesView(const Boxes& game)
        : game_(game), rows_(game.rows()), columns_(game.columns()), width_(game.columns() + 1),
          blank_(static_cast<size_t>(8 * game.num_points())) {
        int8_t* const plane = blank_.data();
        for (int r = 0; r <= rows_; ++r)
            for (int c = 0; c < width_; ++c) {
                const int p = r * width_ + c;
                plane[2 * game.num_points() + p] = c < columns_;
                plane[3 * game.num_points() + p] = r < rows_;
                plane[7 * game.num_points() + p] = 1;
            }
    }

    // The planes [8, R + 1, W] of `lines` [num_lines] of 0 and 1; returns the number of drawn lines.
    int planes(const uint8_t* lines, int8_t* to) {
        std::copy(blank_.begin(), blank_.end(), to);
        const int num_points = game_.num_points();
        const uint8_t* const across = lines;
        const uint8_t* const down = lines + (rows_ + 1) * columns_;
        int num_drawn = 0;
        for (int r = 0; r <= rows_; ++r)
            for (int c = 0; c < columns_; ++c) num_drawn += to[r * width_ + c] = static_cast<int8_t>(across[r * columns_ + c]);
        std::copy_n(down, rows_ * width_, to + num_points);
        for (int i = 0; i < rows_ * width_; ++i) num_drawn += down[i];
        for (int r = 0; r < rows_; ++r) {
            const uint8_t* const top = across + r * columns_;
            const uint8_t* const left = down + r * width_;
            int8_t* const open = to + 4 * num_points + r * width_;
            for (int c = 0; c < columns_; ++c) {
                const int sides = top[c] + top[columns_ + c] + left[c] + left[c + 1];
                open[c] = sides < 4;
                open[num_points + c] = sides == 3;
                open[2 * num_points + c] = sides == 2;
                risky_[static_cast<size_t>(r * columns_ + c)] = sides >= 2;
            }
        }
        return num_drawn;
    }

    // Whether a line is left that gives no box its third side, for the lines of the last call of `planes`.
    bool has_safe_line(const uint8_t* lines) const {
        const uint8_t* const down = lines + (rows_ + 1) * columns_;
        for (int r = 0; r <= rows_; ++r)
            for (int c = 0; c < columns_; ++c)
                if (!lines[r * columns_ + c] && !is_risky(r - 1, c) && !is_risky(r, c)) return true;
        for (int r = 0; r < rows_; ++r)
            for (int c = 0; c < width_; ++c)
                if (!down[r * width_ + c] && !is_risky(r, c - 1) && !is_risky(r, c)) return true;
        return false;
    }

  private:
    bool is_risky(int r, int c) const {
        return r >= 0 && r < rows_ && c >= 0 && c < columns_ && risky_[static_cast<size_t>(r * columns_ + c)];
    }

    const Boxes& game_;
    int rows_, columns_, width_;
    std::vector<int8_t> blank_;  // what no line changes
    std::array<uint8_t, BoxesState::kMaxBoxes> risky_{};  // boxes with two sides or more
};

}  // namespace dotzero
