// Kropki for Python: batches of games as arrays, which kropki_arrays.hpp reads and writes.
//
// Letters: B games, H x W points, A = H * W + 1 actions.
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bindings_search.hpp"
#include "kropki_arrays.hpp"
#include "kropki_encoding.hpp"
#include "random.hpp"

namespace dotzero {
namespace {

// Plays one action in every game, in place; -1 leaves a finished game alone. Nothing is changed if an action is
// illegal: then the index of the first such game is returned, else -1.
py::ssize_t step(const KropkiGame& game, KropkiArrays& arrays, const Array<int32_t>& action) {
    const KropkiBatch batch(game, arrays);
    require_shape(action, {batch.size()}, "action");
    const KropkiWriter writer(game, arrays);
    const uint8_t* const finished = arrays.finished.data();
    const int32_t* const actions = action.data();
    const py::gil_scoped_release release;
    std::vector<KropkiState> states;
    states.reserve(static_cast<size_t>(batch.size()));
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        states.push_back(batch.state(i));
        const bool fits = actions[i] == -1 ? finished[i] != 0 : game.is_legal(states.back(), actions[i]);
        if (!fits) return i;
    }
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        if (actions[i] == -1) continue;
        KropkiState& s = states[static_cast<size_t>(i)];
        game.step(s, actions[i]);
        writer.write(s, i);
    }
    return -1;
}

// Plays a sequence of actions in the one game of a batch, without working anything out anew between them, in place.
// `players` says who plays each, -1: whose turn it is. Returns the scores after every move [n, 2], who made it [n], and
// the index of the first illegal action, at which it stops, else -1.
py::tuple replay(const KropkiGame& game, KropkiArrays& arrays, const Array<int32_t>& actions, const Array<int8_t>& players) {
    const KropkiBatch batch(game, arrays);
    if (batch.size() != 1) throw std::invalid_argument("replay needs one game, got " + std::to_string(batch.size()));
    require_shape(actions, {-1}, "actions");
    require_shape(players, {actions.size()}, "players");
    const KropkiWriter writer(game, arrays);
    Array<int16_t> scores({actions.size(), py::ssize_t{2}});
    Array<int8_t> movers(actions.size());
    std::fill_n(scores.mutable_data(), scores.size(), int16_t{0});
    std::fill_n(movers.mutable_data(), movers.size(), int8_t{0});
    KropkiState s = batch.state(0);
    py::ssize_t illegal = -1;
    for (py::ssize_t i = 0; i < actions.size(); ++i) {
        const int8_t player = players.data()[i];
        if (player < -1 || player > 1) throw std::invalid_argument("players must be -1, 0 or 1, got " + std::to_string(player));
        if (player >= 0) s.to_move = player;
        if (!game.is_legal(s, actions.data()[i])) {
            illegal = i;
            break;
        }
        movers.mutable_data()[i] = s.to_move;
        game.step(s, actions.data()[i]);
        std::copy_n(s.score.begin(), 2, scores.mutable_data(i, 0));
    }
    writer.write(s, 0);
    return py::make_tuple(scores, movers, illegal);
}

Array<uint8_t> legal(const KropkiGame& game, const KropkiArrays& arrays) {
    const KropkiBatch batch(game, arrays);
    Array<uint8_t> mask({batch.size(), py::ssize_t{game.num_actions()}});
    std::fill_n(mask.mutable_data(), mask.size(), uint8_t{0});
    std::vector<uint16_t> actions(static_cast<size_t>(game.num_actions()));
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        const int count = game.legal(batch.state(i), actions.data());
        for (int k = 0; k < count; ++k) mask.mutable_at(i, actions[static_cast<size_t>(k)]) = 1;
    }
    return mask;
}

py::tuple observe(const KropkiGame& game, const KropkiArrays& arrays) {
    const KropkiBatch batch(game, arrays);
    Array<uint8_t> points({batch.size(), py::ssize_t{KropkiGame::kPointBytes}, py::ssize_t{game.board().height()},
                           py::ssize_t{game.board().width()}});
    Array<float> globals({batch.size(), py::ssize_t{game.num_globals()}});
    uint8_t* const to_points = points.mutable_data();
    float* const to_globals = globals.mutable_data();
    {
        const py::gil_scoped_release release;
        for (py::ssize_t i = 0; i < batch.size(); ++i)
            game.observe(batch.state(i), to_points + i * game.observation_bytes(), to_globals + i * game.num_globals());
    }
    return py::make_tuple(points, globals);
}

// Bytes of points as planes: `points` [num_bytes, num_points] to `planes` [num_bytes * 8, num_points] of 0 and 1, the
// lowest bit of a byte first.
void unpack_planes(const uint8_t* points, int num_bytes, int num_points, int8_t* planes) {
    for (int byte = 0; byte < num_bytes; ++byte, points += num_points)
        for (int bit = 0; bit < 8; ++bit, planes += num_points)
            for (int i = 0; i < num_points; ++i) planes[i] = static_cast<int8_t>(points[i] >> bit & 1);
}

// What environments show of every game, see `View` in envs/game.py.
py::tuple view(const KropkiGame& game, const KropkiArrays& arrays) {
    const KropkiBatch batch(game, arrays);
    Array<int8_t> planes({batch.size(), py::ssize_t{8 * KropkiGame::kPointBytes}, py::ssize_t{game.board().height()},
                           py::ssize_t{game.board().width()}});
    Array<float> globals({batch.size(), py::ssize_t{game.num_globals()}});
    Array<int8_t> mask({batch.size(), py::ssize_t{game.num_actions()}});
    Array<int8_t> phase(batch.size()), decided(batch.size());
    int8_t* const to_planes = planes.mutable_data();
    float* const to_globals = globals.mutable_data();
    int8_t* const to_mask = mask.mutable_data();
    int8_t* const to_phase = phase.mutable_data();
    int8_t* const to_decided = decided.mutable_data();
    {
        const py::gil_scoped_release release;
        std::fill_n(to_mask, batch.size() * game.num_actions(), int8_t{0});
        std::vector<uint8_t> points(static_cast<size_t>(game.observation_bytes()));
        std::vector<uint16_t> actions(static_cast<size_t>(game.num_actions()));
        const py::ssize_t num_bits = 8 * static_cast<py::ssize_t>(points.size());
        for (py::ssize_t i = 0; i < batch.size(); ++i) {
            const KropkiState s = batch.state(i);
            game.observe(s, points.data(), to_globals + i * game.num_globals());
            unpack_planes(points.data(), KropkiGame::kPointBytes, game.area(), to_planes + i * num_bits);
            to_phase[i] = static_cast<int8_t>(game.phase(s));
            to_decided[i] = static_cast<int8_t>(game.decided(s));
            const int count = game.legal(s, actions.data());
            for (int k = 0; k < count; ++k) to_mask[i * game.num_actions() + actions[static_cast<size_t>(k)]] = 1;
        }
    }
    return py::make_tuple(planes, globals, mask, phase, decided);
}

Array<int16_t> gains(const KropkiGame& game, const KropkiArrays& arrays, const Array<int8_t>& player) {
    const KropkiBatch batch(game, arrays);
    require_shape(player, {batch.size()}, "player");
    Array<int16_t> found({batch.size(), py::ssize_t{game.area()}});
    const auto captures = std::make_unique<KropkiGame::Captures>();
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        if (player.data()[i] != 0 && player.data()[i] != 1)
            throw std::invalid_argument("player must be 0 or 1, got " + std::to_string(player.data()[i]));
        KropkiState s = batch.state(i);
        game.find_captures(s, player.data()[i], *captures);
        for (int a = 0; a < game.area(); ++a)
            found.mutable_at(i, a) = captures->gains[static_cast<size_t>(game.board().point(a))];
    }
    return found;
}

// One number a game, such as its phase.
Array<int8_t> each_game(const KropkiGame& game, const KropkiArrays& arrays, int (KropkiGame::*number)(const KropkiState&) const) {
    const KropkiBatch batch(game, arrays);
    Array<int8_t> numbers(batch.size());
    for (py::ssize_t i = 0; i < batch.size(); ++i) numbers.mutable_at(i) = static_cast<int8_t>((game.*number)(batch.state(i)));
    return numbers;
}

Array<int32_t> ungrounded(const KropkiGame& game, const KropkiArrays& arrays) {
    const KropkiBatch batch(game, arrays);
    Array<int32_t> dots({batch.size(), py::ssize_t{2}});
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        const KropkiState s = batch.state(i);
        for (int player = 0; player < 2; ++player) dots.mutable_at(i, player) = s.num_loose[player];
    }
    return dots;
}

Array<float> stop_margins(const KropkiGame& game, const KropkiArrays& arrays) {
    const KropkiBatch batch(game, arrays);
    Array<float> margins({batch.size(), py::ssize_t{2}});
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        const KropkiState s = batch.state(i);
        for (int player = 0; player < 2; ++player) margins.mutable_at(i, player) = game.stop_margin(s, player);
    }
    return margins;
}

py::list captures(const KropkiGame& game, const KropkiArrays& arrays, int action) {
    const KropkiBatch batch(game, arrays);
    if (batch.size() != 1) throw std::invalid_argument("captures needs one game, got " + std::to_string(batch.size()));
    KropkiState s = batch.state(0);
    if (!game.is_legal(s, action)) throw std::invalid_argument("captures needs a legal action, got " + std::to_string(action));
    Kropki::Record record;
    game.step(s, action, &record);
    const auto actions = [&](const std::vector<int16_t>& points) {
        py::list list;
        for (const int16_t point : points) list.append(game.board().action(point));
        return list;
    };
    py::list found;
    for (const KropkiEnclosure& one : record)
        found.append(py::make_tuple(one.player, actions(one.chain), actions(one.interior), one.num_dots));
    return found;
}

void mark_houses(const KropkiGame& game, Array<uint8_t>& cells) {
    require_shape(cells, {-1, game.board().height(), game.board().width()}, "cells");
    for (py::ssize_t i = 0; i < cells.shape(0); ++i) {
        KropkiState s = game.start();
        game.load(s, cells.data(i, 0, 0));
        game.mark_houses(s);
        copy_kropki_cells(game, s, cells.mutable_data(i, 0, 0));
    }
}

// Games of uniformly random dots from the empty board until it is full: the generator starts after
// 3 * size draws, the points are shuffled anew for each game (Fisher and Yates) from where the last one left
// them. Totals over all games, which other engines give too: dots placed, dots held at the end, games won.
template <bool kGrounding>
py::tuple play_random_games(const KropkiGame& game, int64_t num_games, uint64_t seed) {
    int64_t placed = 0, held = 0;
    std::array<int64_t, 2> wins{};
    {
        const py::gil_scoped_release release;
        Random random(seed);
        for (int i = 0; i < 3 * game.board().size(); ++i) random.next();
        std::vector<int16_t> order;
        for (int a = 0; a < game.area(); ++a) order.push_back(static_cast<int16_t>(game.board().point(a)));
        KropkiScratch& scratch = KropkiScratch::local();
        const KropkiState fresh = game.start();
        KropkiState s = fresh;
        for (int64_t i = 0; i < num_games; ++i) {
            s = fresh;
            for (size_t last = order.size() - 1; last > 0; --last) std::swap(order[last], order[random.next() % (last + 1)]);
            for (const int16_t point : order) {
                if (s.cells()[point] & cell::kOccupied) continue;
                game.place<kGrounding>(s, point, scratch);
                s.to_move ^= 1;
                ++placed;
            }
            held += s.score[0] + s.score[1];
            if (s.score[0] != s.score[1]) ++wins[s.score[0] < s.score[1]];
        }
    }
    return py::make_tuple(placed, held, wins[0], wins[1]);
}

// Copies a game's state so many times and returns the bytes copied: what any search must pay at least.
int64_t copy_states(const KropkiGame& game, int64_t num_copies) {
    const py::gil_scoped_release release;
    std::array<KropkiState, 2> states{game.start(), game.start()};
    for (int64_t i = 0; i < num_copies; ++i) {
        states[static_cast<size_t>(i & 1)].cells()[game.board().point(0)] = static_cast<uint8_t>(i & 1);
        states[static_cast<size_t>(~i & 1)] = states[static_cast<size_t>(i & 1)];
    }
    return num_copies * static_cast<int64_t>(states[0].num_bytes());
}

KropkiOptions read_rules(const py::dict& given) {
    KropkiOptions rules;
    for (const auto& [key, value] : given) {
        const auto name = py::cast<std::string>(key);
        if (name == "width") rules.width = py::cast<int>(value);
        else if (name == "height") rules.height = py::cast<int>(value);
        else if (name == "zone_width") rules.zone_width = py::cast<int>(value);
        else if (name == "zone_height") rules.zone_height = py::cast<int>(value);
        else if (name == "owner_turn") rules.owner_turn = py::cast<bool>(value);
        else if (name == "add_turn") rules.add_turn = py::cast<bool>(value);
        else if (name == "holes") rules.holes = py::cast<bool>(value);
        else if (name == "punish") rules.punish = py::cast<bool>(value);
        else if (name == "last_safe") rules.last_safe = py::cast<bool>(value);
        else if (name == "capture_empty") rules.capture_empty = py::cast<bool>(value);
        else if (name == "territory") rules.territory = py::cast<bool>(value);
        else if (name == "stop") rules.stop = static_cast<KropkiStop>(py::cast<int>(value));
        else if (name == "solo_moves") rules.solo_moves = py::cast<int>(value);
        else if (name == "instant_win") rules.instant_win = py::cast<int>(value);
        else throw std::invalid_argument("unknown rule " + name);
    }
    return rules;
}

}  // namespace

void bind_kropki(py::module_& module) {
    py::class_<KropkiGame>(module, "Kropki")
        .def(py::init([](const py::dict& rules) { return KropkiGame(read_rules(rules)); }), py::arg("rules"))
        .def_property_readonly("num_actions", &KropkiGame::num_actions)
        .def_property_readonly("num_policy_slots", &KropkiGame::num_policy_slots)
        .def_property_readonly("num_globals", &KropkiGame::num_globals)
        .def_property_readonly("num_point_bytes", [](const KropkiGame&) { return KropkiGame::kPointBytes; })
        .def("step", [](const KropkiGame& game, const py::args& args) {
            KropkiArrays arrays = read_kropki_arrays(args, 1);
            return step(game, arrays, exact<int32_t>(args[9], "action"));
        })
        .def("replay", [](const KropkiGame& game, const py::args& args) {
            KropkiArrays arrays = read_kropki_arrays(args, 2);
            return replay(game, arrays, exact<int32_t>(args[9], "actions"), exact<int8_t>(args[10], "players"));
        })
        .def("legal", [](const KropkiGame& game, const py::args& args) { return legal(game, read_kropki_arrays(args, 0)); })
        .def("observe", [](const KropkiGame& game, const py::args& args) { return observe(game, read_kropki_arrays(args, 0)); })
        .def("view", [](const KropkiGame& game, const py::args& args) { return view(game, read_kropki_arrays(args, 0)); })
        .def("phase", [](const KropkiGame& game, const py::args& args) {
            return each_game(game, read_kropki_arrays(args, 0), &KropkiGame::phase);
        })
        .def("decided", [](const KropkiGame& game, const py::args& args) {
            return each_game(game, read_kropki_arrays(args, 0), &KropkiGame::decided);
        })
        .def("gains", [](const KropkiGame& game, const py::args& args) {
            return gains(game, read_kropki_arrays(args, 1), exact<int8_t>(args[9], "player"));
        })
        .def("ungrounded", [](const KropkiGame& game, const py::args& args) { return ungrounded(game, read_kropki_arrays(args, 0)); })
        .def("stop_margins", [](const KropkiGame& game, const py::args& args) {
            return stop_margins(game, read_kropki_arrays(args, 0));
        })
        .def("captures", [](const KropkiGame& game, const py::args& args) {
            return captures(game, read_kropki_arrays(args, 1), py::cast<int>(args[9]));
        })
        .def("houses", &mark_houses, py::arg("cells").noconvert())
        .def("play_random_games", [](const KropkiGame& game, int64_t num_games, uint64_t seed, bool keep_grounding) {
            return keep_grounding ? play_random_games<true>(game, num_games, seed)
                                  : play_random_games<false>(game, num_games, seed);
        }, py::arg("num_games"), py::arg("seed"), py::arg("keep_grounding"))
        .def("copy_states", &copy_states, py::arg("num_copies"));

    bind_search<KropkiGame>(module, "KropkiSearch")
        .def(py::init([](const KropkiGame& game, int num_games, const py::dict& options, int num_threads) {
                 return std::make_unique<Search<KropkiGame>>(game, num_games, read_options(options), num_threads);
             }),
             py::arg("game"), py::arg("num_games"), py::arg("options"), py::arg("num_threads"))
        .def("set_roots", [](Search<KropkiGame>& search, const Array<int32_t>& slots, const py::args& args) {
            const KropkiArrays arrays = read_kropki_arrays(args, 0);
            require_slots(search, slots);
            const KropkiBatch batch(search.game(), arrays);
            require_shape(slots, {batch.size()}, "slots");
            for (py::ssize_t i = 0; i < batch.size(); ++i) search.set_root(slots.data()[i], batch.state(i));
        }, py::arg("slots").noconvert());
}

}  // namespace dotzero
