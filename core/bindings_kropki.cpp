// Kropki for Python: batches of games as arrays.
//
// Letters: B games, H x W points, A = H * W + 1 actions. The visible parts of a game cross the border (see
// `KropkiState` in envs/kropki.py); neighbour masks, linked sets, scores and grounding are worked out on the way in.
#include <memory>
#include <numeric>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bindings_search.hpp"
#include "kropki_encoding.hpp"
#include "random.hpp"

namespace dotzero {
namespace {

struct Arrays {
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

// Reads, and writes back, the games of a batch. Pointers are taken with the GIL held, games may be read without.
class Batch {
  public:
    Batch(const KropkiGame& game, const Arrays& from)
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
        for (py::ssize_t i = 0; i < n * game.area(); ++i) require_cell(cells_[i]);
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

    // Free, a live dot of its own player, or closed by one player; at most one dot.
    static void require_cell(uint8_t value) {
        const int live = value & cell::kLive, placed = value >> 2 & 3, held = value >> 4 & 3;
        const bool fits = live == 3 || placed == 3 || held == 3 ? false : live ? placed == live && !held : held || !placed;
        if (!fits) throw std::invalid_argument("cells must hold possible points, got " + std::to_string(value));
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

void copy_cells(const KropkiGame& game, const KropkiState& s, uint8_t* cells) {
    for (int a = 0; a < game.area(); ++a) cells[a] = s.cells()[game.board().point(a)];
}

// Plays one action in every game, in place; -1 leaves a finished game alone. Nothing is changed if an action is
// illegal: then the index of the first such game is returned, else -1.
py::ssize_t step(const KropkiGame& game, Arrays& arrays, const Array<int32_t>& action) {
    const Batch batch(game, arrays);
    require_shape(action, {batch.size()}, "action");
    uint8_t* const cells = arrays.cells.mutable_data();
    int16_t* const last = arrays.last.mutable_data();
    int32_t* const num_moves = arrays.num_moves.mutable_data();
    int8_t* const stopped = arrays.stopped.mutable_data();
    int32_t* const solo_left = arrays.solo_left.mutable_data();
    int8_t* const to_move = arrays.to_move.mutable_data();
    uint8_t* const finished = arrays.finished.mutable_data();
    int16_t* const score = arrays.score.mutable_data();
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
        copy_cells(game, s, cells + i * game.area());
        std::copy_n(s.last.begin(), 3, last + 3 * i);
        num_moves[i] = s.num_moves;
        stopped[i] = s.stopped;
        solo_left[i] = s.solo_left;
        to_move[i] = s.to_move;
        finished[i] = s.finished;
        std::copy_n(s.score.begin(), 2, score + 2 * i);
    }
    return -1;
}

Array<uint8_t> legal(const KropkiGame& game, const Arrays& arrays) {
    const Batch batch(game, arrays);
    Array<uint8_t> mask({batch.size(), py::ssize_t{game.num_actions()}});
    std::fill_n(mask.mutable_data(), mask.size(), uint8_t{0});
    std::vector<uint16_t> actions(static_cast<size_t>(game.num_actions()));
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        const int count = game.legal(batch.state(i), actions.data());
        for (int k = 0; k < count; ++k) mask.mutable_at(i, actions[static_cast<size_t>(k)]) = 1;
    }
    return mask;
}

py::tuple observe(const KropkiGame& game, const Arrays& arrays) {
    const Batch batch(game, arrays);
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

Array<int16_t> gains(const KropkiGame& game, const Arrays& arrays, const Array<int8_t>& player) {
    const Batch batch(game, arrays);
    require_shape(player, {batch.size()}, "player");
    Array<int16_t> found({batch.size(), py::ssize_t{game.area()}});
    const auto captures = std::make_unique<KropkiGame::Captures>();
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        if (player.data()[i] != 0 && player.data()[i] != 1)
            throw std::invalid_argument("player must be 0 or 1, got " + std::to_string(player.data()[i]));
        game.find_captures(batch.state(i), player.data()[i], *captures);
        for (int a = 0; a < game.area(); ++a)
            found.mutable_at(i, a) = captures->gains[static_cast<size_t>(game.board().point(a))];
    }
    return found;
}

Array<int32_t> ungrounded(const KropkiGame& game, const Arrays& arrays) {
    const Batch batch(game, arrays);
    Array<int32_t> dots({batch.size(), py::ssize_t{2}});
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        const KropkiState s = batch.state(i);
        for (int player = 0; player < 2; ++player) dots.mutable_at(i, player) = s.num_loose[player];
    }
    return dots;
}

Array<float> stop_margins(const KropkiGame& game, const Arrays& arrays) {
    const Batch batch(game, arrays);
    Array<float> margins({batch.size(), py::ssize_t{2}});
    for (py::ssize_t i = 0; i < batch.size(); ++i) {
        const KropkiState s = batch.state(i);
        for (int player = 0; player < 2; ++player) margins.mutable_at(i, player) = game.stop_margin(s, player);
    }
    return margins;
}

py::list captures(const KropkiGame& game, const Arrays& arrays, int action) {
    const Batch batch(game, arrays);
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
        copy_cells(game, s, cells.mutable_data(i, 0, 0));
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

// An argument as an array of exactly its type, not a converted copy.
template <typename T>
Array<T> exact(const py::handle& given, const char* name) {
    if (!py::isinstance<Array<T>>(given)) throw py::type_error(std::string(name) + " must be a C-ordered array of its type");
    return py::reinterpret_borrow<Array<T>>(given);
}

// The state's arrays, which come one by one and first in every call, and how many arguments follow them.
Arrays read_arrays(const py::args& args, size_t num_more) {
    constexpr size_t kNumArrays = 9;
    if (args.size() != kNumArrays + num_more)
        throw py::type_error("a state of Kropki is " + std::to_string(kNumArrays) + " arrays and " +
                             std::to_string(num_more) + " more, got " + std::to_string(args.size()) + " arguments");
    return {exact<uint8_t>(args[0], "cells"),    exact<int16_t>(args[1], "last"),     exact<int32_t>(args[2], "num_moves"),
            exact<int8_t>(args[3], "stopped"),   exact<int32_t>(args[4], "solo_left"), exact<float>(args[5], "komi"),
            exact<int8_t>(args[6], "to_move"),   exact<uint8_t>(args[7], "finished"), exact<int16_t>(args[8], "score")};
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
            Arrays arrays = read_arrays(args, 1);
            return step(game, arrays, exact<int32_t>(args[9], "action"));
        })
        .def("legal", [](const KropkiGame& game, const py::args& args) { return legal(game, read_arrays(args, 0)); })
        .def("observe", [](const KropkiGame& game, const py::args& args) { return observe(game, read_arrays(args, 0)); })
        .def("gains", [](const KropkiGame& game, const py::args& args) {
            return gains(game, read_arrays(args, 1), exact<int8_t>(args[9], "player"));
        })
        .def("ungrounded", [](const KropkiGame& game, const py::args& args) { return ungrounded(game, read_arrays(args, 0)); })
        .def("stop_margins", [](const KropkiGame& game, const py::args& args) {
            return stop_margins(game, read_arrays(args, 0));
        })
        .def("captures", [](const KropkiGame& game, const py::args& args) {
            return captures(game, read_arrays(args, 1), py::cast<int>(args[9]));
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
            const Arrays arrays = read_arrays(args, 0);
            require_slots(search, slots);
            const Batch batch(search.game(), arrays);
            require_shape(slots, {batch.size()}, "slots");
            for (py::ssize_t i = 0; i < batch.size(); ++i) search.set_root(slots.data()[i], batch.state(i));
        }, py::arg("slots").noconvert());
}

}  // namespace dotzero
