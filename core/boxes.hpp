// Dots and Boxes: rules and encoding, one game at a time. Batches are loops over this in bindings_boxes.cpp.
//
// Lines are numbered as everywhere in dotzero: horizontals h(r,c) = r*C + c, then verticals
// v(r,c) = (R+1)*C + r*(C+1) + c. The state counts the drawn sides of every box; drawing a line bumps two
// counters without a branch, the border's missing neighbour being a dummy box that never completes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace dotzero {

struct BoxesState {
    static constexpr int kMaxLines = 255;
    static constexpr int kMaxBoxes = 127;

    std::array<uint64_t, 4> drawn;            // bit a: line a is drawn
    std::array<uint8_t, kMaxBoxes + 1> sides; // drawn sides of each box; the last one is the dummy
    std::array<int8_t, kMaxBoxes + 1> owner;  // -1 open, else the player who closed it
    std::array<int16_t, 2> score;
    int16_t num_drawn;
    int8_t to_move;

    bool is_drawn(int line) const { return drawn[line >> 6] >> (line & 63) & 1; }
};

class Boxes {
  public:
    using State = BoxesState;
    static constexpr int kNumGlobals = 9;

    // `misere`: fewer boxes win; scores count boxes all the same.
    Boxes(int rows, int columns, bool misere = false) : rows_(rows), columns_(columns), misere_(misere) {
        if (rows < 1 || columns < 1) throw std::invalid_argument("Boxes needs at least 1x1 boxes");
        num_horizontal_ = (rows + 1) * columns;
        num_lines_ = num_horizontal_ + rows * (columns + 1);
        num_boxes_ = rows * columns;
        if (num_lines_ > State::kMaxLines || num_boxes_ > State::kMaxBoxes)
            throw std::invalid_argument("Boxes needs at most 255 lines and 127 boxes");
        for (int r = 0; r <= rows; ++r)
            for (int c = 0; c < columns; ++c)
                neighbours_[horizontal(r, c)] = {box(r - 1, c), box(r, c)};
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c <= columns; ++c) neighbours_[vertical(r, c)] = {box(r, c - 1), box(r, c)};
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c)
                around_[box(r, c)] = {narrow(horizontal(r, c)), narrow(horizontal(r + 1, c)), narrow(vertical(r, c)),
                                      narrow(vertical(r, c + 1))};
        build_lattice();
    }

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    bool misere() const { return misere_; }
    int num_lines() const { return num_lines_; }
    int num_boxes() const { return num_boxes_; }
    int horizontal(int r, int c) const { return r * columns_ + c; }
    // Where there is no box on one side, a number past the last box.
    const std::array<uint8_t, 2>& boxes_beside(int line) const { return neighbours_[line]; }
    bool is_box(int box) const { return box < num_boxes_; }
    // The four sides of a box.
    const std::array<uint8_t, 4>& lines_around(int box) const { return around_[box]; }
    int vertical(int r, int c) const { return num_horizontal_ + r * (columns_ + 1) + c; }

    // --- what the batched search asks of a game (see search.hpp) ---

    int num_actions() const { return num_lines_; }
    int num_policy_slots() const { return 2 * num_points(); }
    int policy_slot(int action) const { return policy_slot_[action]; }
    int num_points() const { return (rows_ + 1) * (columns_ + 1); }
    int observation_bytes() const { return num_points(); }
    int num_globals() const { return kNumGlobals; }
    int max_margin() const { return num_boxes_; }

    State start() const {
        State state{};
        state.owner.fill(-1);
        state.sides[State::kMaxBoxes] = 5;  // past 4, and at most 170 border lines (84x1) do not wrap it round
        return state;
    }

    // Draws a set of lines on a fresh board: `lines` [num_lines] of 0 and 1. Complete boxes get no owner by this.
    void draw(State& state, const uint8_t* lines) const {
        for (int line = 0; line < num_lines_; ++line) {
            const uint8_t drawn = lines[line] != 0;
            const auto [one, two] = neighbours_[line];
            state.drawn[line >> 6] |= uint64_t{drawn} << (line & 63);
            state.num_drawn = static_cast<int16_t>(state.num_drawn + drawn);
            state.sides[one] = static_cast<uint8_t>(state.sides[one] + drawn);
            state.sides[two] = static_cast<uint8_t>(state.sides[two] + drawn);
        }
    }

    bool finished(const State& state) const { return state.num_drawn == num_lines_; }
    int to_move(const State& state) const { return state.to_move; }

    // Final (or current) margin in boxes, seen by the player to move: what it leads by under the rules.
    int margin(const State& state) const {
        const int more = state.score[state.to_move] - state.score[state.to_move ^ 1];
        return misere_ ? -more : more;
    }

    bool is_legal(const State& state, int action) const {
        return action >= 0 && action < num_lines_ && !state.is_drawn(action);
    }

    // Writes the undrawn lines in ascending order and returns their number.
    int legal(const State& state, uint16_t* actions) const {
        int count = 0;
        for (int word = 0; word * 64 < num_lines_; ++word) {
            uint64_t open = ~state.drawn[word];
            if (num_lines_ - word * 64 < 64) open &= (uint64_t{1} << (num_lines_ - word * 64)) - 1;
            for (; open; open &= open - 1)
                actions[count++] = static_cast<uint16_t>(word * 64 + __builtin_ctzll(open));
        }
        return count;
    }

    // Draws an undrawn line. Whoever closes a box moves again. Arithmetic instead of branches: whether a random
    // line closes a box is unpredictable, and branches made whole games a third slower.
    void step(State& state, int line) const {
        state.drawn[line >> 6] |= uint64_t{1} << (line & 63);
        ++state.num_drawn;
        const int mover = state.to_move;
        const auto [one, two] = neighbours_[line];
        const uint8_t sides_one = ++state.sides[one];
        const uint8_t sides_two = ++state.sides[two];
        const int closes_one = sides_one == 4, closes_two = sides_two == 4, closed = closes_one + closes_two;
        state.owner[one] = static_cast<int8_t>(state.owner[one] + (mover + 1) * closes_one);  // -1 -> mover
        state.owner[two] = static_cast<int8_t>(state.owner[two] + (mover + 1) * closes_two);
        state.score[mover] = static_cast<int16_t>(state.score[mover] + closed);
        state.to_move = static_cast<int8_t>(mover ^ (closed == 0));
    }

    // One byte a dot; the meaning of the bits stands in envs/boxes.py.
    void observe(const State& state, uint8_t* points, float* globals) const {
        for (int p = 0; p < num_points(); ++p) {
            const Point& point = lattice_[p];
            const uint8_t sides = state.sides[point.box];
            points[p] = static_cast<uint8_t>(
                point.constant | (point.right_exists & state.is_drawn(point.right)) |
                (point.below_exists & state.is_drawn(point.below)) << 1 |
                (point.has_box ? (sides < 4) << 4 | (sides == 3) << 5 | (sides == 2) << 6 : 0));
        }
        describe(margin(state), state.num_drawn, state.score[0] + state.score[1], globals);
    }

    // The globals of a position that the player to move leads in by so many boxes.
    void describe(int margin, int num_drawn, int num_complete, float* globals) const {
        const int lines_left = num_lines_ - num_drawn, boxes_left = num_boxes_ - num_complete;
        const float lead = static_cast<float>(margin);
        globals[0] = lead / static_cast<float>(num_boxes_);
        globals[1] = lead / 10.0f;
        globals[2] = parity(lines_left);
        globals[3] = parity(boxes_left);
        globals[4] = parity(num_points());
        globals[5] = static_cast<float>(lines_left) / static_cast<float>(num_lines_);
        globals[6] = static_cast<float>(boxes_left) / static_cast<float>(num_boxes_);
        globals[7] = parity(margin);
        globals[8] = misere_ ? 1.0f : 0.0f;
    }

  private:
    struct Point {
        uint8_t constant;  // the bits that never change: which lines exist, "on the board"
        uint8_t right_exists, below_exists, has_box;
        uint8_t right, below, box;
    };

    static uint8_t narrow(int line) { return static_cast<uint8_t>(line); }
    static float parity(int number) { return number & 1 ? -1.0f : 1.0f; }

    uint8_t box(int r, int c) const {
        const bool inside = r >= 0 && r < rows_ && c >= 0 && c < columns_;
        return static_cast<uint8_t>(inside ? r * columns_ + c : State::kMaxBoxes);
    }

    void build_lattice() {
        for (int r = 0; r <= rows_; ++r)
            for (int c = 0; c <= columns_; ++c) {
                Point point{};
                point.right_exists = c < columns_;
                point.below_exists = r < rows_;
                point.has_box = r < rows_ && c < columns_;
                point.right = static_cast<uint8_t>(point.right_exists ? horizontal(r, c) : 0);
                point.below = static_cast<uint8_t>(point.below_exists ? vertical(r, c) : 0);
                point.box = box(r, c);
                point.constant = static_cast<uint8_t>(0x80 | point.right_exists << 2 | point.below_exists << 3);
                const int p = static_cast<int>(lattice_.size());
                if (point.right_exists) policy_slot_[point.right] = p;
                if (point.below_exists) policy_slot_[point.below] = num_points() + p;
                lattice_.push_back(point);
            }
    }

    int rows_, columns_, num_horizontal_, num_lines_, num_boxes_;
    bool misere_;
    std::array<std::array<uint8_t, 2>, State::kMaxLines> neighbours_{};
    std::array<std::array<uint8_t, 4>, State::kMaxBoxes> around_{};
    std::array<int, State::kMaxLines> policy_slot_{};
    std::vector<Point> lattice_;
};

}  // namespace dotzero
