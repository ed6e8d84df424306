// Kropki: the board as the engine sees it. Cells, neighbour masks, the table of gaps, and the state of one game.
//
// Points lie row by row with ONE padding column between rows and a padding row above and below, so that every
// neighbour of a point is an index away and nothing has to be asked about borders. Directions are numbered
// clockwise from the right: 0 E, 1 SE, 2 S, 3 SW, 4 W, 5 NW, 6 N, 7 NE (y grows downwards).
//
// A dot links in 8 directions, a region in 4. Whether a new dot can close anything is read from the mask of its
// live own neighbours alone: they fall into runs with gaps between, and a gap through which no region can pass
// (a single diagonal between two orthogonal neighbours) is none. With fewer than two gaps nothing is enclosed.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace dotzero {

enum class KropkiStop { kOff = 0, kGrounding = 1, kSolo = 2 };

struct KropkiOptions {
    int width = 39, height = 32;
    int zone_width = 0, zone_height = 0;  // 0: no opening zone
    bool owner_turn = false, add_turn = false, holes = false, punish = false, last_safe = false;
    bool capture_empty = false, territory = false;
    KropkiStop stop = KropkiStop::kGrounding;
    int solo_moves = -1;  // -1: no limit
    int instant_win = 0;  // 0: off
};

// One byte a cell; bit pairs are (player 0, player 1).
namespace cell {
constexpr uint8_t kLive = 0x03, kPlaced = 0x0C, kHeld = 0x30, kHouse = 0xC0;
constexpr uint8_t kOccupied = 0x3F;  // none of these bits: playable
constexpr uint8_t kBorder = 0x30;    // closed, held by both: no real point is
constexpr uint8_t live(int player) { return static_cast<uint8_t>(0x01 << player); }
constexpr uint8_t placed(int player) { return static_cast<uint8_t>(0x04 << player); }
constexpr uint8_t held(int player) { return static_cast<uint8_t>(0x10 << player); }
constexpr uint8_t house(int player) { return static_cast<uint8_t>(0x40 << player); }
constexpr uint8_t owned(int player) { return static_cast<uint8_t>(0x11 << player); }
// Who owns a cell that is not playable: by a live dot, or because it is closed.
constexpr int owner(uint8_t value) { return value & owned(0) ? 0 : 1; }
// Whose dot lies on a cell, dead or live: 0 nobody's, 1 player 0's, 2 player 1's.
constexpr int dot(uint8_t value) { return value >> 2 & 3; }
}  // namespace cell

// How the own neighbours of a dot are parted, for one mask of them.
struct KropkiGaps {
    uint8_t count = 0;              // gaps that a region can pass; as many as runs of linked neighbours
    std::array<uint8_t, 4> run{};   // a dot of the run before gap i, clockwise
    std::array<uint8_t, 4> next{};  // the first dot after gap i
    std::array<uint8_t, 4> open{};  // an orthogonal direction inside gap i
    std::array<uint8_t, 4> dirs{};  // all directions of gap i, as a mask
};

// Everything about one game, in one block of memory: copying it is one memcpy.
class KropkiState {
  public:
    std::array<int16_t, 2> score{};       // by the scoring rule, komi not included
    std::array<int16_t, 2> num_loose{};   // dots, own and taken, on own points that are not grounded
    std::array<int16_t, 2> stop_costs{};  // what the player's margin falls by if it stops now
    std::array<int16_t, 3> last{-1, -1, -1};
    int32_t num_moves = 0, num_playable = 0, solo_left = -1;
    float komi = 0.0f;
    int8_t to_move = 0, stopped = -1;
    bool finished = false;

    KropkiState() = default;
    explicit KropkiState(int size) : length_((size + 31) / 32 * 32), memory_(static_cast<size_t>(length_) * 6) {}

    uint8_t* cells() { return memory_.data(); }
    uint8_t* near(int player) { return memory_.data() + (1 + player) * length_; }
    uint8_t* grounded() { return memory_.data() + 3 * length_; }  // 1 on grounded points and on the border
    int16_t* sets() { return reinterpret_cast<int16_t*>(memory_.data() + 4 * length_); }
    const uint8_t* cells() const { return memory_.data(); }
    const uint8_t* near(int player) const { return memory_.data() + (1 + player) * length_; }
    const uint8_t* grounded() const { return memory_.data() + 3 * length_; }
    size_t num_bytes() const { return memory_.size(); }

  private:
    int length_ = 0;
    std::vector<uint8_t> memory_;
};

class KropkiBoard {
  public:
    static constexpr int kMaxSide = 52;
    static constexpr int kMaxSize = (kMaxSide + 1) * (kMaxSide + 2) + 1;

    KropkiBoard(int width, int height) : width_(width), height_(height), stride_(width + 1) {
        if (width < 2 || width > kMaxSide || height < 2 || height > kMaxSide)
            throw std::invalid_argument("Kropki needs 2 to 52 points a side, got " + std::to_string(width) + "x" +
                                        std::to_string(height));
        const int s = stride_;
        offset_ = {1, s + 1, s, s - 1, -1, -s - 1, -s, -s + 1};
        edge_.assign(static_cast<size_t>(size()), 0);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                uint8_t mask = 0;
                if (x == width - 1) mask |= 0x83;
                if (y == height - 1) mask |= 0x0E;
                if (x == 0) mask |= 0x38;
                if (y == 0) mask |= 0xE0;
                edge_[static_cast<size_t>(point(x, y))] = mask;
            }
    }

    int width() const { return width_; }
    int height() const { return height_; }
    int area() const { return width_ * height_; }
    int size() const { return stride_ * (height_ + 2) + 1; }
    int stride() const { return stride_; }
    int point(int x, int y) const { return (y + 1) * stride_ + x + 1; }
    int point(int action) const { return point(action % width_, action / width_); }
    int column(int point) const { return point % stride_ - 1; }
    int row(int point) const { return point / stride_ - 1; }
    int action(int point) const { return row(point) * width_ + column(point); }
    int offset(int direction) const { return offset_[static_cast<size_t>(direction)]; }
    // The directions in which a point has the border beside it, as a mask.
    uint8_t edge(int point) const { return edge_[static_cast<size_t>(point)]; }

  private:
    int width_, height_, stride_;
    std::array<int, 8> offset_{};
    std::vector<uint8_t> edge_;
};

inline KropkiGaps kropki_gaps_of(int mask) {
    KropkiGaps gaps;
    if (mask == 0) return gaps;
    for (int from = 0; from < 8; ++from) {
        if (!(mask >> from & 1) || mask >> ((from + 1) & 7) & 1) continue;  // not the last dot before free directions
        int dirs = 0, open = -1, to = (from + 1) & 7;
        for (; !(mask >> to & 1); to = (to + 1) & 7) {
            dirs |= 1 << to;
            if (to % 2 == 0) open = to;
        }
        if (open < 0) continue;
        const size_t i = gaps.count++;
        gaps.run[i] = static_cast<uint8_t>(from);
        gaps.next[i] = static_cast<uint8_t>(to);
        gaps.open[i] = static_cast<uint8_t>(open);
        gaps.dirs[i] = static_cast<uint8_t>(dirs);
    }
    return gaps;
}

inline const std::array<KropkiGaps, 256>& kropki_gaps() {
    static const std::array<KropkiGaps, 256> table = [] {
        std::array<KropkiGaps, 256> gaps{};
        for (int mask = 0; mask < 256; ++mask) gaps[static_cast<size_t>(mask)] = kropki_gaps_of(mask);
        return gaps;
    }();
    return table;
}

}  // namespace dotzero
