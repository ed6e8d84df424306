// Kropki: walks round regions. A contour is followed over live dots of one colour with the region K on its left,
// always taking the tightest turn towards K; its signed area says whether K is enclosed (loops that hang into K
// count against it, a contour that goes round dots instead of round K is negative). From the contour of an
// enclosed region the chain is cut: whenever the walk meets a dot again, the loop between is dropped, unless it
// is the one that has K inside.
//
// The long outer contour of a new dot need not be finished: of m runs that hang together elsewhere, at most m - 1
// sectors are newly enclosed, so all their walks go side by side and end as soon as m - 1 are known to be.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "kropki_board.hpp"

namespace dotzero {

class KropkiContour {
  public:
    // Begins at `dot` with a step in `direction`; K lies to the left of it.
    void begin(int dot, int direction) {
        start_ = at_ = dot;
        start_direction_ = direction_ = direction;
        y_ = area_ = 0;
        open_ = finished_ = false;
    }

    // Walks on for at most `num_steps`; true when the contour has come to its end. Each step's dot is told to `visit`.
    template <class Visit>
    bool walk(const KropkiBoard& board, const uint8_t* near, int num_steps, Visit visit) {
        static constexpr std::array<int8_t, 8> kDx{1, 1, 0, -1, -1, -1, 0, 1}, kDy{0, 1, 1, 1, 0, -1, -1, -1};
        // In locals: bytes may alias members, which would then be written back at every step.
        int at = at_, direction = direction_, y = y_, area = area_;
        for (int step = 0; step < num_steps && !finished_; ++step) {
            visit(at);
            const auto d = static_cast<size_t>(direction);
            area += (2 * y + kDy[d]) * kDx[d];
            y += kDy[d];
            at += board.offset(direction);
            // From the way back clockwise: what is passed belongs to K, the first own dot is the tightest turn.
            const int first = (direction + 5) & 7;
            const unsigned own = (near[at] * 0x101u) >> first, edge = (board.edge(at) * 0x101u) >> first;
            direction = (first + __builtin_ctz(own)) & 7;
            if (edge & (own - 1) & ~own) open_ = finished_ = true;  // the edge comes before the first own dot
            if (at == start_ && direction == start_direction_) finished_ = true;
        }
        at_ = at, direction_ = direction, y_ = y, area_ = area;
        return finished_;
    }

    bool walk(const KropkiBoard& board, const uint8_t* near, int num_steps) {
        return walk(board, near, num_steps, [](int) {});
    }

    // Walks a finished contour once more and gives its dots.
    void trace(const KropkiBoard& board, const uint8_t* near, std::vector<int16_t>& path) const {
        KropkiContour again;
        again.begin(start_, start_direction_);
        path.clear();
        const auto keep = [&](int dot) { path.push_back(static_cast<int16_t>(dot)); };
        again.walk(board, near, std::numeric_limits<int>::max(), keep);
    }

    bool encloses() const { return finished_ && !open_ && area_ > 0; }

  private:
    int start_ = 0, at_ = 0, start_direction_ = 0, direction_ = 0, y_ = 0, area_ = 0;
    bool open_ = false, finished_ = false;
};

// Points of one board, each at most once: no allocation, no growth.
class KropkiPoints {
  public:
    void clear() { size_ = 0; }
    void push_back(int point) { points_[size_++] = static_cast<int16_t>(point); }
    void resize(size_t size) { size_ = size; }
    size_t size() const { return size_; }
    int16_t operator[](size_t i) const { return points_[i]; }
    int16_t* begin() { return points_.data(); }
    int16_t* end() { return points_.data() + size_; }
    const int16_t* begin() const { return points_.data(); }
    const int16_t* end() const { return points_.data() + size_; }

  private:
    size_t size_ = 0;
    std::array<int16_t, KropkiBoard::kMaxSize> points_;
};

// A region that a dot shuts in.
struct KropkiRegion {
    KropkiPoints points;  // K
    const KropkiContour* contour = nullptr;
    int num_enemies = 0, num_playable = 0;  // enemy dots not held yet; free points
};

// Memory for walks and floods, shared by all games of a thread.
class KropkiScratch {
  public:
    std::array<KropkiContour, 4> contours;
    KropkiContour around;  // of a house that was entered
    std::array<KropkiRegion, 4> regions;
    int num_regions = 0;
    KropkiRegion house, visited;
    std::vector<int16_t> path;
    KropkiPoints chain, interior, queue;

    static KropkiScratch& local() {
        static thread_local KropkiScratch scratch;
        return scratch;
    }

    // A fresh set of marked points: none.
    void clear_marks() {
        if (++stamp_ == 0) {
            marks_.fill(0);
            stamp_ = 1;
        }
    }
    // Marks a point; false if it was marked before.
    bool mark(int point) {
        uint32_t& value = marks_[static_cast<size_t>(point)];
        if (value == stamp_) return false;
        value = stamp_;
        return true;
    }

    // The piece of a closed contour that has K inside, as points in walking order, into `chain`.
    void cut_chain(const KropkiBoard& board, const KropkiContour& contour, const uint8_t* near) {
        contour.trace(board, near, path);
        chain.clear();
        clear_marks();
        for (const int16_t point : path) {
            if (!mark(point)) {
                const size_t first = places_[static_cast<size_t>(point)];
                if (first < chain.size() && chain[first] == point) {
                    if (area(board, first) > 0) {
                        std::copy(chain.begin() + first, chain.end(), chain.begin());
                        chain.resize(chain.size() - first);
                        return;
                    }
                    chain.resize(first);
                }
            }
            places_[static_cast<size_t>(point)] = static_cast<uint16_t>(chain.size());
            chain.push_back(point);
        }
    }

  private:
    // Twice the signed area of the loop chain[first..], positive if it has the left of the walk inside.
    int area(const KropkiBoard& board, size_t first) const {
        int sum = 0, y = 0;
        for (size_t i = first; i < chain.size(); ++i) {
            const int step = chain[i + 1 < chain.size() ? i + 1 : first] - chain[i];
            const int dy = (step > 1) - (step < -1), dx = step - dy * board.stride();
            sum += (2 * y + dy) * dx;
            y += dy;
        }
        return sum;
    }

    std::array<uint32_t, KropkiBoard::kMaxSize> marks_{};
    std::array<uint16_t, KropkiBoard::kMaxSize> places_{};
    uint32_t stamp_ = 0;
};

}  // namespace dotzero
