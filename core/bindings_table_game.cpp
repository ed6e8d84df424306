// The table game for Python: only its search, the tables themselves live in NumPy.
#include "bindings.hpp"
#include "bindings_search.hpp"
#include "table_game.hpp"

namespace dotzero {

void bind_table_game(py::module_& module) {
    bind_search<TableGame>(module, "TableGameSearch")
        .def(py::init([](const Array<int32_t>& next, const Array<int8_t>& to_move, const Array<float>& margin,
                         int num_games, const py::dict& options, int num_threads) {
                 require_shape(to_move, {-1}, "to_move");
                 require_shape(next, {to_move.size(), -1}, "next");
                 require_shape(margin, {to_move.size()}, "margin");
                 TableGame game(static_cast<int>(next.shape(1)), {next.data(), next.data() + next.size()},
                                {to_move.data(), to_move.data() + to_move.size()},
                                {margin.data(), margin.data() + margin.size()});
                 return std::make_unique<Search<TableGame>>(std::move(game), num_games, read_options(options),
                                                            num_threads);
             }),
             py::arg("next").noconvert(), py::arg("to_move").noconvert(), py::arg("margin").noconvert(),
             py::arg("num_games"), py::arg("options"), py::arg("num_threads"))
        .def("set_roots", [](Search<TableGame>& search, const Array<int32_t>& slots, const Array<int32_t>& states) {
            require_slots(search, slots);
            require_shape(states, {slots.size()}, "states");
            for (py::ssize_t i = 0; i < slots.size(); ++i) {
                const int32_t state = states.data()[i];
                if (state < 0 || state >= search.game().num_states())
                    throw std::invalid_argument("states must name states, got " + std::to_string(state));
                search.set_root(slots.data()[i], state);
            }
        }, py::arg("slots").noconvert(), py::arg("states").noconvert());
}

}  // namespace dotzero
