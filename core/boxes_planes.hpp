// Dots and Boxes as two 64-bit planes of UNDRAWN lines, for exact play: any board of at most 64 dots.
//
// The plane `across` holds horizontal line (r,c) at bit r*(C+1)+c, `down` holds vertical line (r,c) at the same
// bit, and so does a set of boxes. Hence the sides of box b are across[b] (top), across[b+C+1] (bottom),
// down[b] (left), down[b+1] (right), and bit-sliced adders count the undrawn sides of all boxes at once.
//
// The border lines of one box (two in a corner, up to four on boards of one row) are interchangeable: a set of lines
// is in normal form when those of a box are drawn in a fixed order. Everything here works on normal forms.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace dotzero {

struct LineSet {
    uint64_t across = 0, down = 0;

    bool operator==(const LineSet& other) const { return across == other.across && down == other.down; }
    bool empty() const { return !(across | down); }
    int count() const { return __builtin_popcountll(across) + __builtin_popcountll(down); }
    // A slot numbers a line of either plane: bit 0..63 of `across`, 64 + bit of `down`.
    bool has(int slot) const { return (slot < 64 ? across >> slot : down >> (slot - 64)) & 1; }
    void remove(int slot) { (slot < 64 ? across : down) &= ~(uint64_t{1} << (slot & 63)); }
    void add(int slot) { (slot < 64 ? across : down) |= uint64_t{1} << (slot & 63); }
    LineSet without(const LineSet& other) const { return {across & ~other.across, down & ~other.down}; }
    LineSet among(const LineSet& other) const { return {across & other.across, down & other.down}; }

    // The lowest slot; the set must not be empty.
    int first() const { return across ? __builtin_ctzll(across) : 64 + __builtin_ctzll(down); }
    template <class Visit>
    void each(Visit visit) const {
        for (uint64_t left = across; left; left &= left - 1) visit(__builtin_ctzll(left));
        for (uint64_t left = down; left; left &= left - 1) visit(64 + __builtin_ctzll(left));
    }
};

// Boxes by their number of undrawn sides.
struct Degrees {
    uint64_t one, two, three, four;

    uint64_t open() const { return one | two | three | four; }
};

// What the player to move can take at once, and what is left then. See `BoxesPlanes::take_all`.
struct Capture {
    LineSet rest;
    int taken = 0;  // boxes
    // The fewest boxes that a double deal leaves to the opponent: 2, 4, or 0 where there is none.
    int left = 0;

    // The better of taking everything and of leaving those boxes, after which the opponent moves in `rest`.
    int value(int rest_value) const {
        return left ? taken - left + std::abs(rest_value + left) : taken + rest_value;
    }
};

class BoxesPlanes {
  public:
    static constexpr int kMaxSlots = 128;
    static constexpr int kMaxSymmetries = 8;

    static bool fits(int rows, int columns) { return (rows + 1) * (columns + 1) <= 64; }

    BoxesPlanes(int rows, int columns) : rows_(rows), columns_(columns), stride_(columns + 1) {
        if (rows < 1 || columns < 1 || !fits(rows, columns))
            throw std::invalid_argument("exact play needs a board of at most 64 dots");
        for (int r = 0; r <= rows; ++r)
            for (int c = 0; c < columns; ++c) slot_of_line_.push_back(r * stride_ + c);
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c <= columns; ++c) slot_of_line_.push_back(64 + r * stride_ + c);
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) boxes_ |= uint64_t{1} << (r * stride_ + c);
        line_of_slot_.fill(-1);
        for (size_t line = 0; line < slot_of_line_.size(); ++line)
            line_of_slot_[slot_of_line_[line]] = static_cast<int>(line);
        for (const int slot : slot_of_line_) nearness_[slot] = nearness(slot);
        build_border_groups();
        build_symmetries();
    }

    int num_lines() const { return static_cast<int>(slot_of_line_.size()); }
    int stride() const { return stride_; }
    uint64_t boxes() const { return boxes_; }
    int slot(int line) const { return slot_of_line_[line]; }
    int line(int slot) const { return line_of_slot_[slot]; }
    int num_symmetries() const { return num_symmetries_; }
    // The image of a slot; border lines of one box keep their place in its order (see the head of the file).
    int image(int symmetry, int slot) const { return image_[symmetry][slot]; }
    int preimage(int symmetry, int slot) const { return preimage_[symmetry][slot]; }

    // 0 at the rim, growing towards the centre of the board; by slot.
    const std::array<int32_t, kMaxSlots>& nearness_to_centre() const { return nearness_; }

    // The undrawn lines of an array of num_lines bytes, 1 drawn.
    LineSet undrawn(const uint8_t* drawn) const {
        LineSet lines;
        for (int line = 0; line < num_lines(); ++line)
            if (!drawn[line]) lines.add(slot_of_line_[line]);
        return lines;
    }

    // The same value in normal form.
    LineSet normal(LineSet lines) const {
        for (const auto& [earlier, later] : border_pairs_)  // sorts each group of up to four: see the constructor
            if (lines.has(earlier) && !lines.has(later)) lines.remove(earlier), lines.add(later);
        return lines;
    }

    // Of interchangeable undrawn lines of a normal form, all but the one to draw first.
    LineSet duplicates(const LineSet& lines) const {
        LineSet later_ones;
        for (const auto& [earlier, later] : border_next_)
            if (lines.has(earlier)) later_ones.add(later);
        return later_ones;
    }

    // Of the undrawn lines that are interchangeable with this one, that to draw first.
    int first_of_group(const LineSet& lines, int slot) const {
        for (auto pair = border_next_.rbegin(); pair != border_next_.rend(); ++pair)
            if ((*pair)[1] == slot && lines.has((*pair)[0])) slot = (*pair)[0];
        return slot;
    }

    Degrees degrees(const LineSet& lines) const {
        const uint64_t top = lines.across & boxes_, bottom = lines.across >> stride_ & boxes_;
        const uint64_t left = lines.down & boxes_, right = lines.down >> 1 & boxes_;
        const uint64_t odd_rows = top ^ bottom, both_rows = top & bottom;
        const uint64_t odd_columns = left ^ right, both_columns = left & right;
        const uint64_t odd = odd_rows ^ odd_columns, pair = both_rows | both_columns;
        return {odd & ~pair, ~odd & ((odd_rows & odd_columns) | (both_rows ^ both_columns)), odd & pair,
                both_rows & both_columns};
    }

    // All lines beside these boxes, drawn or not.
    LineSet around(uint64_t boxes) const { return {boxes | boxes << stride_, boxes | boxes << 1}; }

    // Undrawn lines that give no box its third side.
    LineSet safe(const LineSet& lines, const Degrees& degrees) const {
        return lines.without(around(degrees.one | degrees.two));
    }

    // Undrawn lines with a box of `boxes` on either side.
    LineSet between(const LineSet& lines, uint64_t boxes) const {
        return {lines.across & boxes & boxes << stride_, lines.down & boxes & boxes << 1};
    }

    // The boxes of `among` that undrawn lines connect to the lowest box of `among`.
    uint64_t component(const LineSet& lines, uint64_t among) const {
        uint64_t found = among & (~among + 1);
        for (;;) {
            const uint64_t near = ((found & lines.across) >> stride_) | ((found << stride_) & lines.across) |
                                  ((found & lines.down) >> 1) | ((found << 1) & lines.down);
            const uint64_t more = (found | near) & among;
            if (more == found) return found;
            found = more;
        }
    }

    // The line that opens a chain or loop for good: the middle of a chain of two, which leaves no double deal;
    // else any.
    int opening(const LineSet& lines, uint64_t chain) const {
        const LineSet middle = between(lines, chain);
        return (middle.empty() ? lines.among(around(chain)) : middle).first();
    }

    // The n-th line of a set, from 0.
    int nth(const LineSet& lines, int n) const {
        const int num_across = __builtin_popcountll(lines.across);
        uint64_t plane = n < num_across ? lines.across : lines.down;
        const int slot = n < num_across ? 0 : 64;
        for (n -= n < num_across ? 0 : num_across; n > 0; --n) plane &= plane - 1;
        return slot + __builtin_ctzll(plane);
    }

    // Takes every box on offer and those on offer then, to the last (their order does not matter).
    //
    // Each structure taken is a tree of k boxes with one line out of it (half open) or none (closed). The only
    // other plays worth a thought leave the last domino of a half open one (k >= 2), else two dominoes of a
    // closed one that has a line between two boxes of two or more undrawn sides. Barker and Korf, "Solving
    // Dots-And-Boxes", AAAI 2012, prove it; the tests compare with brute force.
    Capture take_all(const LineSet& lines, const Degrees& degrees) const {
        Capture capture{lines, 0, 0};
        Degrees after = degrees;
        while (after.one) {
            capture.rest = capture.rest.without(around(after.one));
            after = this->degrees(capture.rest);
        }
        const uint64_t taken = degrees.open() & ~after.open();
        if (!taken) return capture;
        capture.taken = __builtin_popcountll(taken);
        const uint64_t inner = taken & ~degrees.one;
        if (!inner) return capture;
        const uint64_t out = (lines.across & ~(taken << stride_)) | (lines.across >> stride_ & ~(taken >> stride_)) |
                             (lines.down & ~(taken << 1)) | (lines.down >> 1 & ~(taken >> 1));
        if (inner & out) {
            capture.left = 2;
        } else if (!between(lines, inner).empty()) {
            capture.left = 4;
        }
        return capture;
    }

  private:
    using Pair = std::array<int, 2>;

    int nearness(int slot) const {
        const int down = slot / 64, bit = slot % 64;
        const int y = 2 * (bit / stride_) + down, x = 2 * (bit % stride_) + 1 - down;  // on the doubled grid
        return std::min({y, 2 * rows_ - y, x, 2 * columns_ - x});
    }

    // Slots of the border lines of a box: top, bottom, left, right.
    std::vector<int> border_lines(int r, int c) const {
        std::vector<int> lines;
        if (r == 0) lines.push_back(r * stride_ + c);
        if (r == rows_ - 1) lines.push_back((r + 1) * stride_ + c);
        if (c == 0) lines.push_back(64 + r * stride_ + c);
        if (c == columns_ - 1) lines.push_back(64 + r * stride_ + c + 1);
        return lines;
    }

    void build_border_groups() {
        for (int r = 0; r < rows_; ++r)
            for (int c = 0; c < columns_; ++c) {
                const std::vector<int> group = border_lines(r, c);
                for (size_t i = 0; i + 1 < group.size(); ++i) border_next_.push_back({group[i], group[i + 1]});
                for (size_t pass = 0; pass + 1 < group.size(); ++pass)  // bubble sort: undrawn ones to the end
                    for (size_t i = 0; i + 1 < group.size() - pass; ++i)
                        border_pairs_.push_back({group[i], group[i + 1]});
            }
    }

    void build_symmetries() {
        num_symmetries_ = rows_ == columns_ ? 8 : 4;
        for (int symmetry = 0; symmetry < num_symmetries_; ++symmetry) {
            image_[symmetry].fill(-1);
            for (int r = 0; r <= rows_; ++r)
                for (int c = 0; c <= columns_; ++c) {
                    if (c < columns_) move_line(symmetry, r * stride_ + c, 2 * r, 2 * c + 1);
                    if (r < rows_) move_line(symmetry, 64 + r * stride_ + c, 2 * r + 1, 2 * c);
                }
            for (int r = 0; r < rows_; ++r)
                for (int c = 0; c < columns_; ++c) move_border(symmetry, r, c);
            for (const int slot : slot_of_line_) preimage_[symmetry][image_[symmetry][slot]] = slot;
        }
    }

    // On the doubled grid dots have even coordinates, lines one odd and boxes two odd ones.
    std::array<int, 2> moved(int symmetry, int y, int x) const {
        if (symmetry & 1) x = 2 * columns_ - x;
        if (symmetry & 2) y = 2 * rows_ - y;
        return symmetry & 4 ? std::array<int, 2>{x, y} : std::array<int, 2>{y, x};
    }

    void move_line(int symmetry, int slot, int y, int x) {
        const auto [v, u] = moved(symmetry, y, x);
        image_[symmetry][slot] = (v % 2 ? 64 : 0) + v / 2 * stride_ + u / 2;
    }

    void move_border(int symmetry, int r, int c) {
        const auto [v, u] = moved(symmetry, 2 * r + 1, 2 * c + 1);
        const std::vector<int> from = border_lines(r, c), to = border_lines(v / 2, u / 2);
        for (size_t i = 0; i < from.size(); ++i) image_[symmetry][from[i]] = to[i];
    }

    int rows_, columns_, stride_, num_symmetries_ = 0;
    uint64_t boxes_ = 0;
    std::vector<int> slot_of_line_;
    std::array<int, kMaxSlots> line_of_slot_{};
    std::array<int32_t, kMaxSlots> nearness_{};
    std::vector<Pair> border_pairs_, border_next_;
    std::array<std::array<int, kMaxSlots>, kMaxSymmetries> image_{}, preimage_{};
};

}  // namespace dotzero
