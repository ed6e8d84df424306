// Action masks for Python: draws of legal actions for whole batches.
//
// Letters: B games, A actions.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace dotzero {
namespace {

constexpr py::ssize_t kWord = 8;  // mask bytes of one look

// How many of the `number` mask bytes from `legal` on, at most eight, are 1. Bytes are 0 or 1.
int count_legal(const int8_t* legal, py::ssize_t number) {
    uint64_t word = 0;
    std::memcpy(&word, legal, static_cast<size_t>(number));
    return __builtin_popcountll(word & 0x0101010101010101u);
}

// The n-th legal action, which there must be.
py::ssize_t nth_legal(const int8_t* legal, py::ssize_t num_actions, int n) {
    py::ssize_t action = 0;
    for (int here; n >= (here = count_legal(legal + action, std::min(kWord, num_actions - action))); action += kWord) n -= here;
    while (!(legal[action] & 1) || n-- > 0) ++action;
    return action;
}

// One of the actions whose mask is 1 in every game, chosen by a number in [0, 1); 0 where there is none.
Array<int64_t> draw_actions(const Array<int8_t>& mask, const Array<double>& lots) {
    require_shape(mask, {-1, -1}, "mask");
    const py::ssize_t num_games = mask.shape(0), num_actions = mask.shape(1);
    require_shape(lots, {num_games}, "lots");
    Array<int64_t> actions(num_games);
    const int8_t* legal = mask.data();
    int64_t* const chosen = actions.mutable_data();
    const double* const lot = lots.data();
    const py::gil_scoped_release release;
    for (py::ssize_t i = 0; i < num_games; ++i, legal += num_actions) {
        if (!(lot[i] >= 0 && lot[i] < 1)) throw std::invalid_argument("lots must be in [0, 1), got " + std::to_string(lot[i]));
        int count = 0;
        for (py::ssize_t a = 0; a < num_actions; ++a) count += legal[a] & 1;
        chosen[i] = count == 0 ? 0 : nth_legal(legal, num_actions, static_cast<int>(lot[i] * count));
    }
    return actions;
}

}  // namespace

void bind_masks(py::module_& module) {
    module.def("draw_actions", &draw_actions, py::arg("mask").noconvert(), py::arg("lots").noconvert());
}

}  // namespace dotzero
