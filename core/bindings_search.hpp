// The Python class of a batched search, the same for every game.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "search.hpp"

namespace dotzero {

inline SearchOptions read_options(const py::dict& given) {
    SearchOptions options;
    for (const auto& [key, value] : given) {
        const std::string name = py::cast<std::string>(key);
        if (name == "max_simulations") options.max_simulations = py::cast<int>(value);
        else if (name == "c_puct") options.c_puct = py::cast<float>(value);
        else if (name == "fpu_reduction") options.fpu_reduction = py::cast<float>(value);
        else if (name == "margin_weight") options.margin_weight = py::cast<float>(value);
        else if (name == "margin_scale") options.margin_scale = py::cast<float>(value);
        else if (name == "gumbel_root") options.root_rule = py::cast<bool>(value) ? RootRule::kGumbel : RootRule::kPuct;
        else if (name == "dirichlet_alpha") options.dirichlet_alpha = py::cast<float>(value);
        else if (name == "dirichlet_fraction") options.dirichlet_fraction = py::cast<float>(value);
        else if (name == "num_considered") options.num_considered = py::cast<int>(value);
        else if (name == "gumbel_visit") options.gumbel_visit = py::cast<float>(value);
        else if (name == "gumbel_scale") options.gumbel_scale = py::cast<float>(value);
        else if (name == "gumbel_interior") options.gumbel_interior = py::cast<bool>(value);
        else if (name == "max_edges") options.max_edges = py::cast<int>(value);
        else if (name == "cache_mib") options.cache_bytes = py::cast<size_t>(value) << 20;
        else throw std::invalid_argument("unknown search option " + name);
    }
    if (options.num_considered < 1) throw std::invalid_argument("num_considered must be at least 1");
    if (!(options.margin_scale > 0.0f)) throw std::invalid_argument("margin_scale must be above 0");
    return options;
}

template <class Game>
void require_slots(const Search<Game>& search, const Array<int32_t>& slots) {
    require_shape(slots, {-1}, "slots");
    for (py::ssize_t i = 0; i < slots.size(); ++i)
        if (slots.data()[i] < 0 || slots.data()[i] >= search.num_games())
            throw std::invalid_argument("slots must be in 0.." + std::to_string(search.num_games() - 1) + ", got " +
                                        std::to_string(slots.data()[i]));
}

// Runs `work` without the GIL. Once it is interrupted, Python has an exception to raise (see BoxesSearch).
template <class Work>
auto without_gil(const Work& work) {
    try {
        const py::gil_scoped_release release;
        return work();
    } catch (const SearchInterrupted&) {
        throw py::error_already_set();
    }
}

// A search of `Game`; the caller adds the constructor and set_roots, which know the game's arrays.
template <class Game>
py::class_<Search<Game>> bind_search(py::module_& module, const char* name) {
    using S = Search<Game>;
    py::class_<S> binding(module, name);
    binding.def_property_readonly("num_games", &S::num_games);
    binding.def("generators", [](const S& search) {
        Array<uint64_t> states(search.num_games());
        for (int slot = 0; slot < search.num_games(); ++slot) states.mutable_data()[slot] = search.of(slot).random.state();
        return states;
    });
    binding.def("set_generators", [](S& search, const Array<uint64_t>& states) {
        require_shape(states, {search.num_games()}, "states");
        for (int slot = 0; slot < search.num_games(); ++slot) search.of(slot).random = Random(states.data()[slot]);
    }, py::arg("states").noconvert());
    binding.def("begin", [](S& search, const Array<int32_t>& slots, const Array<int32_t>& num_simulations, bool noise) {
        require_slots(search, slots);
        require_shape(num_simulations, {slots.size()}, "num_simulations");
        for (py::ssize_t i = 0; i < slots.size(); ++i) search.begin(slots.data()[i], num_simulations.data()[i], noise);
    }, py::arg("slots").noconvert(), py::arg("num_simulations").noconvert(), py::arg("noise"));
    binding.def("walk", [](S& search, Array<uint8_t>& points, Array<float>& globals) {
        const py::ssize_t capacity = points.ndim() > 0 ? points.shape(0) : 0;
        if (capacity < search.num_games() || points.size() != capacity * search.game().observation_bytes())
            throw std::invalid_argument("points must hold an observation of each game");
        require_shape(globals, {capacity, search.game().num_globals()}, "globals");
        uint8_t* const to_points = points.mutable_data();
        float* const to_globals = globals.mutable_data();
        return without_gil([&] { return search.walk(to_points, to_globals); });
    }, py::arg("points").noconvert(), py::arg("globals").noconvert());
    binding.def("expand", [](S& search, const Array<float>& policy, const Array<float>& value, const Array<float>& margin) {
        const auto rows = static_cast<py::ssize_t>(search.rows().size());
        require_shape(policy, {rows, search.game().num_policy_slots()}, "policy");
        require_shape(value, {rows}, "value");
        require_shape(margin, {rows}, "margin");
        const float* const from_policy = policy.data();
        const float* const from_value = value.data();
        const float* const from_margin = margin.data();
        without_gil([&] { search.expand(from_policy, from_value, from_margin); });
    }, py::arg("policy").noconvert(), py::arg("value").noconvert(), py::arg("margin").noconvert());
    binding.def("rows", [](const S& search) {
        Array<int32_t> rows(static_cast<py::ssize_t>(search.rows().size()));
        std::copy(search.rows().begin(), search.rows().end(), rows.mutable_data());
        return rows;
    });
    binding.def("abandon", &S::abandon);
    binding.def("clear_cache", &S::clear_cache);
    binding.def_property_readonly("num_cache_hits", &S::num_cache_hits);
    binding.def("done", [](const S& search, int slot) { return search.of(slot).done(); }, py::arg("slot"));
    binding.def("results", [](const S& search, const Array<int32_t>& slots) {
        require_slots(search, slots);
        const py::ssize_t n = slots.size(), width = search.game().num_actions();
        Array<int32_t> visits({n, width});
        Array<float> values({n, width}), policy({n, width}), root_values(n), raw_values(n), surprise(n), lower(n), upper(n);
        for (py::ssize_t i = 0; i < n; ++i) {
            const int slot = slots.data()[i];
            search.of(slot).result(visits.mutable_data(i, 0), values.mutable_data(i, 0), policy.mutable_data(i, 0));
            root_values.mutable_data()[i] = search.of(slot).root_value();
            raw_values.mutable_data()[i] = search.of(slot).raw_value();
            surprise.mutable_data()[i] = search.of(slot).surprise(policy.data(i, 0));
            lower.mutable_data()[i] = search.of(slot).lower();
            upper.mutable_data()[i] = search.of(slot).upper();
        }
        return py::make_tuple(visits, values, policy, root_values, raw_values, surprise, lower, upper);
    }, py::arg("slots").noconvert());
    binding.def("estimates", [](const S& search, const Array<int32_t>& slots) {
        require_slots(search, slots);
        const size_t width = static_cast<size_t>(search.game().num_actions());
        std::vector<int32_t> visits(width);
        std::vector<float> values(width), policy(width);
        Array<float> estimates({slots.size(), py::ssize_t{2}});
        for (py::ssize_t i = 0; i < slots.size(); ++i) {
            const int slot = slots.data()[i];
            search.of(slot).result(visits.data(), values.data(), policy.data());
            const Estimate found = search.of(slot).estimate(policy.data());
            *estimates.mutable_data(i, 0) = found.value;
            *estimates.mutable_data(i, 1) = found.margin;
        }
        return estimates;
    }, py::arg("slots").noconvert());
    binding.def("known_margins", [](const S& search, const Array<int32_t>& slots) {
        require_slots(search, slots);
        Array<float> margins(slots.size());
        for (py::ssize_t i = 0; i < slots.size(); ++i)
            margins.mutable_data()[i] = search.of(slots.data()[i]).known_margin();
        return margins;
    }, py::arg("slots").noconvert());
    binding.def("choose", [](S& search, const Array<int32_t>& slots, const Array<float>& temperatures) {
        require_slots(search, slots);
        require_shape(temperatures, {slots.size()}, "temperatures");
        Array<int32_t> actions(slots.size());
        for (py::ssize_t i = 0; i < slots.size(); ++i)
            actions.mutable_data()[i] = search.of(slots.data()[i]).choose(temperatures.data()[i]);
        return actions;
    }, py::arg("slots").noconvert(), py::arg("temperatures").noconvert());
    return binding;
}

}  // namespace dotzero
