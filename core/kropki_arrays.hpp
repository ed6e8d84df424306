// Kropki's games as arrays of a batch: what crosses the border to Python and back.
//
// Only the visible parts of a game cross it (see `KropkiState` in envs/kropki.py); neighbour masks, linked sets,
// scores and grounding are worked out on the way in.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "kropki_encoding.hpp"

namespace dotzero {

struct KropkiArrays {
    Array<uint8_t> cells;
    Array<int16_t> last;
    Array<int32_t> num_moves;
    Array<int8_t> stopped;
    Array<int32_t> solo_left;
    Array<float> komi;
    Array<int8_t> to_move;
    Array<uint8_t> finished;
    Array<int16_t> score;
};

// Free, a live dot of its own player, or closed by one player; at most one dot.
constexpr bool is_possible_cell(int value) {
    const int live = value & cell::kLive, placed = value >> 2 & 3, held = value >> 4 & 3;
    return live == 3 || placed == 3 || held == 3 ? false : live ? placed == live && !held : held || !placed;
}

// The same for every byte: looked up, as every call looks at every point of a batch.
constexpr std::array<bool, 256> kPossibleCells = [] {
    std::array<bool, 256> table{};
    for (size_t value = 0; value < table.size(); ++value) table[value] = is_possible_cell(static_cast<int>(value));
    return table;
}();

// Reads, and writes back, the games of a batch. Pointers are taken with the GIL held, games may be read without.
class KropkiBatch {
  public:
    KropkiBatch(const KropkiGame& game, const KropkiArrays& from)
        : game_(game), size_(from.to_move.size()), cells_(from.cells.data()), last_(from.last.data()),
          num_moves_(from.num_moves.data()), stopped_(from.stopped.data()), solo_left_(from.solo_left.data()),
          komi_(from.komi.data()), to_move_(from.to_move.data()), finished_(from.finished.data()) {
        const py::ssize_t n = size_;
        require_shape(from.to_move, {-1}, "to_move");
        require_shape(from.cells, {n, game.board().height(), game.board().width()}, "cells");
        require_shape(from.last, {n, 3}, "last");
        require_shape(from.num_moves, {n}, "num_moves");
        require_shape(from.stopped, {n}, "stopped");
        require_shape(from.solo_left, {n}, "solo_left");
        require_shape(from.komi, {n}, "komi");
        require_shape(from.finished, {n}, "finished");
        require_shape(from.score, {n, 2}, "score");
        for (py::ssize_t i = 0; i < n; ++i) {
            require_bit(to_move_[i], "to_move");
            if (stopped_[i] < -1 || stopped_[i] > 1)
                throw std::invalid_argument("stopped must be -1, 0 or 1, got " + std::to_string(stopped_[i]));
        }
        for (py::ssize_t i = 0; i < n * game.area(); ++i)
            if (!kPossibleCells[cells_[i]]) throw std::invalid_argument("cells must hold possible points, got " + std::to_string(cells_[i]));
    }

    py::ssize_t size() const { return size_; }

    KropkiState state(py::ssize_t i) const {
        KropkiState s = game_.start();
        game_.load(s, cells_ + i * game_.area());
        s.last = {last_[3 * i], last_[3 * i + 1], last_[3 * i + 2]};
        s.num_moves = num_moves_[i];
        s.stopped = stopped_[i];
        s.solo_left = solo_left_[i];
        s.komi = komi_[i];
        s.to_move = to_move_[i];
        s.finished = finished_[i] != 0;
        return s;
    }

  private:
    static void require_bit(int value, const char* name) {
        if (value != 0 && value != 1)
            throw std::invalid_argument(std::string(name) + " must be 0 or 1, got " + std::to_string(value));
    }

    const KropkiGame& game_;
    py::ssize_t size_;
    const uint8_t* cells_;
    const int16_t* last_;
    const int32_t* num_moves_;
    const int8_t* stopped_;
    const int32_t* solo_left_;
    const float* komi_;
    const int8_t* to_move_;
    const uint8_t* finished_;
};

inline void copy_kropki_cells(const KropkiGame& game, const KropkiState& s, uint8_t* cells) {
    const int width = game.board().width();
    for (int y = 0; y < game.board().height(); ++y)
        std::copy_n(s.cells() + game.board().point(0, y), width, cells + y * width);
}

// Where a batch's arrays are written back.
class KropkiWriter {
  public:
    KropkiWriter(const KropkiGame& game, KropkiArrays& to)
        : game_(game), cells_(to.cells.mutable_data()), last_(to.last.mutable_data()),
          num_moves_(to.num_moves.mutable_data()), stopped_(to.stopped.mutable_data()),
          solo_left_(to.solo_left.mutable_data()), to_move_(to.to_move.mutable_data()),
          finished_(to.finished.mutable_data()), score_(to.score.mutable_data()) {}

    void write(const KropkiState& s, py::ssize_t i) const {
        copy_kropki_cells(game_, s, cells_ + i * game_.area());
        std::copy_n(s.last.begin(), 3, last_ + 3 * i);
        num_moves_[i] = s.num_moves;
        stopped_[i] = s.stopped;
        solo_left_[i] = s.solo_left;
        to_move_[i] = s.to_move;
        finished_[i] = s.finished;
        std::copy_n(s.score.begin(), 2, score_ + 2 * i);
    }

  private:
    const KropkiGame& game_;
    uint8_t* cells_;
    int16_t* last_;
    int32_t* num_moves_;
    int8_t* stopped_;
    int32_t* solo_left_;
    int8_t* to_move_;
    uint8_t* finished_;
    int16_t* score_;
};

// An argument as an array of exactly its type, not a converted copy.
template <typename T>
Array<T> exact(const py::handle& given, const char* name) {
    if (!py::isinstance<Array<T>>(given)) throw py::type_error(std::string(name) + " must be a C-ordered array of its type");
    return py::reinterpret_borrow<Array<T>>(given);
}

// The state's arrays, which come one by one and first in every call, and how many arguments follow them.
inline KropkiArrays read_kropki_arrays(const py::args& args, size_t num_more) {
    constexpr size_t kNumArrays = 9;
    if (args.size() != kNumArrays + num_more)
        throw py::type_error("a state of Kropki is " + std::to_string(kNumArrays) + " arrays and " +
                             std::to_string(num_more) + " more, got " + std::to_string(args.size()) + " arguments");
    return {exact<uint8_t>(args[0], "cells"),    exact<int16_t>(args[1], "last"),     exact<int32_t>(args[2], "num_moves"),
            exact<int8_t>(args[3], "stopped"),   exact<int32_t>(args[4], "solo_left"), exact<float>(args[5], "komi"),
            exact<int8_t>(args[6], "to_move"),   exact<uint8_t>(args[7], "finished"), exact<int16_t>(args[8], "score")};
}

}  // namespace dotzero
