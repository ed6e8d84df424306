// Exact play in Dots and Boxes for Python: batches of positions as arrays of drawn lines.
//
// Letters: K positions, L lines. `lines` is uint8 [K, L], 1 drawn. Values are seen by the player to move.
#include "arrays.hpp"
#include "bindings.hpp"
#include "boxes.hpp"
#include "boxes_sets.hpp"
#include "exact_play.hpp"
#include "rollouts.hpp"

namespace dotzero {
namespace {

constexpr int kMaxSetLines = 28;  // a table of 256 MiB

SolverLimits read_limits(const py::object& max_nodes, const py::object& max_seconds) {
    SolverLimits limits;
    if (!max_nodes.is_none()) limits.max_nodes = py::cast<uint64_t>(max_nodes);
    if (!max_seconds.is_none()) limits.max_seconds = py::cast<double>(max_seconds);
    return limits;
}

// Lets go of the GIL while the questions are answered, and of all of them when Python has a signal to handle
// (Ctrl-C).
template <class Ask>
void ask_each(ExactPlay& play, int count, const SolverLimits& limits, const Ask& ask) {
    bool complete;
    {
        const py::gil_scoped_release release;
        complete = play.each(count, limits, signal_waits, ask);
    }
    if (!complete) throw py::error_already_set();
}

int num_positions(const ExactPlay& play, const Array<uint8_t>& lines) {
    require_shape(lines, {-1, play.planes().num_lines()}, "lines");
    return static_cast<int>(lines.shape(0));
}

// (lower [K], upper [K], num_nodes [K])
py::tuple solve(ExactPlay& play, const Array<uint8_t>& lines, const py::object& max_nodes,
                const py::object& max_seconds) {
    const int count = num_positions(play, lines);
    const py::ssize_t num_lines = play.planes().num_lines();
    const SolverLimits limits = read_limits(max_nodes, max_seconds);
    Array<int16_t> lower(count), upper(count);
    Array<int64_t> num_nodes(count);
    const uint8_t* const drawn = lines.data();
    int16_t *const to_lower = lower.mutable_data(), *const to_upper = upper.mutable_data();
    int64_t* const to_nodes = num_nodes.mutable_data();
    ask_each(play, count, limits, [&](int i, ExactPlay::Questioner& questioner) {
        const Answer answer = questioner.solve(play.planes().undrawn(drawn + i * num_lines));
        to_lower[i] = static_cast<int16_t>(answer.lower);
        to_upper[i] = static_cast<int16_t>(answer.upper);
        to_nodes[i] = static_cast<int64_t>(questioner.num_nodes());
    });
    return py::make_tuple(lower, upper, num_nodes);
}

// (lower [K, L], upper [K, L], num_nodes [K]); 0 on drawn lines
py::tuple line_values(ExactPlay& play, const Array<uint8_t>& lines, const py::object& max_nodes,
                      const py::object& max_seconds) {
    const int count = num_positions(play, lines);
    const py::ssize_t num_lines = play.planes().num_lines();
    const SolverLimits limits = read_limits(max_nodes, max_seconds);
    Array<int16_t> lower({py::ssize_t{count}, num_lines}), upper({py::ssize_t{count}, num_lines});
    Array<int64_t> num_nodes(count);
    const uint8_t* const drawn = lines.data();
    int16_t *const to_lower = lower.mutable_data(), *const to_upper = upper.mutable_data();
    int64_t* const to_nodes = num_nodes.mutable_data();
    std::fill_n(to_lower, count * num_lines, int16_t{0});
    std::fill_n(to_upper, count * num_lines, int16_t{0});
    ask_each(play, count, limits, [&](int i, ExactPlay::Questioner& questioner) {
        const LineSet undrawn = play.planes().undrawn(drawn + i * num_lines);
        undrawn.each([&](int slot) {
            const Answer answer = questioner.line_value(undrawn, slot);
            to_lower[i * num_lines + play.planes().line(slot)] = static_cast<int16_t>(answer.lower);
            to_upper[i * num_lines + play.planes().line(slot)] = static_cast<int16_t>(answer.upper);
        });
        to_nodes[i] = static_cast<int64_t>(questioner.num_nodes());
    });
    return py::make_tuple(lower, upper, num_nodes);
}

// (best [K, L] bool, value [K], num_nodes [K], exact [K] bool). Where a limit came first, `best` is empty.
py::tuple best_lines(ExactPlay& play, const Array<uint8_t>& lines, const py::object& max_nodes,
                     const py::object& max_seconds) {
    const int count = num_positions(play, lines);
    const py::ssize_t num_lines = play.planes().num_lines();
    const SolverLimits limits = read_limits(max_nodes, max_seconds);
    Array<bool> best({py::ssize_t{count}, num_lines}), exact(count);
    Array<int16_t> value(count);
    Array<int64_t> num_nodes(count);
    const uint8_t* const drawn = lines.data();
    bool *const to_best = best.mutable_data(), *const to_exact = exact.mutable_data();
    int16_t* const to_value = value.mutable_data();
    int64_t* const to_nodes = num_nodes.mutable_data();
    std::fill_n(to_best, count * num_lines, false);
    ask_each(play, count, limits, [&](int i, ExactPlay::Questioner& questioner) {
        const LineSet undrawn = play.planes().undrawn(drawn + i * num_lines);
        const Answer answer = questioner.solve(undrawn);
        bool known = answer.exact();
        undrawn.each([&](int slot) {
            const int keeps = known ? questioner.keeps(undrawn, slot, answer.lower) : -1;
            if (keeps < 0) known = false;
            if (keeps > 0) to_best[i * num_lines + play.planes().line(slot)] = true;
        });
        if (!known) std::fill_n(to_best + i * num_lines, num_lines, false);
        to_exact[i] = known;
        to_value[i] = static_cast<int16_t>(known ? answer.lower : 0);
        to_nodes[i] = static_cast<int64_t>(questioner.num_nodes());
    });
    return py::make_tuple(best, value, num_nodes, exact);
}

// (value [K, L], visits [K, L]): the mean after each candidate line, 0 where there is none.
py::tuple rollouts(ExactPlay& play, const Array<uint8_t>& lines, int num_rollouts, const Array<uint64_t>& seeds,
                   int exact_lines) {
    const int count = num_positions(play, lines);
    const py::ssize_t num_lines = play.planes().num_lines();
    require_shape(seeds, {count}, "seeds");
    Array<float> value({py::ssize_t{count}, num_lines});
    Array<int32_t> visits({py::ssize_t{count}, num_lines});
    const uint8_t* const drawn = lines.data();
    const uint64_t* const luck = seeds.data();
    float* const to_value = value.mutable_data();
    int32_t* const to_visits = visits.mutable_data();
    for (int i = 0; i < count; ++i)
        if (play.planes().degrees(play.planes().undrawn(drawn + i * num_lines)).one)
            throw std::invalid_argument("rollouts begin where no box is on offer, not so position " +
                                        std::to_string(i));
    std::fill_n(to_value, count * num_lines, 0.0f);
    std::fill_n(to_visits, count * num_lines, 0);
    SolverLimits from_an_empty_table;
    --from_an_empty_table.max_nodes;
    ask_each(play, count, from_an_empty_table, [&](int i, ExactPlay::Questioner& questioner) {
        Rollouts search(play.planes(), questioner, exact_lines, luck[i]);
        for (const RolloutCandidate& candidate :
             search.run(play.planes().undrawn(drawn + i * num_lines), num_rollouts)) {
            const py::ssize_t line = i * num_lines + play.planes().line(candidate.slot);
            to_value[line] = static_cast<float>(candidate.value());
            to_visits[line] = candidate.visits;
        }
    });
    return py::make_tuple(value, visits);
}

// Values of all subsets of the undrawn lines of one position; see boxes_sets.hpp. `lines` [L].
Array<int8_t> set_values(const Boxes& game, const Array<uint8_t>& lines, bool misere) {
    require_shape(lines, {game.num_lines()}, "lines");
    std::vector<uint32_t> boxes(game.num_boxes());
    int count = 0;
    for (int line = 0; line < game.num_lines(); ++line) {
        if (lines.data()[line]) continue;
        if (count == kMaxSetLines)
            throw std::invalid_argument("at most " + std::to_string(kMaxSetLines) + " lines may be undrawn");
        for (const int box : game.boxes_beside(line))
            if (box < game.num_boxes()) boxes[box] |= uint32_t{1} << count;
        ++count;
    }
    Array<int8_t> values(py::ssize_t{1} << count);
    int8_t* const to_values = values.mutable_data();
    const py::gil_scoped_release release;
    fill_values(count, boxes, misere, to_values);
    return values;
}

}  // namespace

void bind_solver(py::module_& module) {
    py::class_<ExactPlay>(module, "ExactPlay")
        .def(py::init<int, int, size_t, int>(), py::arg("rows"), py::arg("columns"), py::arg("table_bytes"),
             py::arg("num_threads"))
        .def("forget", &ExactPlay::forget, py::call_guard<py::gil_scoped_release>())
        .def("solve", &solve, py::arg("lines").noconvert(), py::arg("max_nodes"), py::arg("max_seconds"))
        .def("line_values", &line_values, py::arg("lines").noconvert(), py::arg("max_nodes"), py::arg("max_seconds"))
        .def("best_lines", &best_lines, py::arg("lines").noconvert(), py::arg("max_nodes"), py::arg("max_seconds"))
        .def("rollouts", &rollouts, py::arg("lines").noconvert(), py::arg("num_rollouts"), py::arg("seeds").noconvert(),
             py::arg("exact_lines"));
    module.def("set_values", &set_values, py::arg("game"), py::arg("lines").noconvert(), py::arg("misere"));
}

}  // namespace dotzero
