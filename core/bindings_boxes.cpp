// Dots and Boxes for Python: batches of games as arrays.
//
// Letters: B games, L lines, N boxes. A batch is lines [B, L] uint8 (1 drawn), owner [B, N] int8 (-1 open, else the
// player who closed it) and to_move [B] int8; counters and scores follow from these.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bindings_search.hpp"
#include "boxes.hpp"
#include "boxes_view.hpp"
#include "solved_boxes.hpp"

namespace dotzero {
namespace {

struct Batch {
    Batch(const Boxes& game, const Array<uint8_t>& lines, const Array<int8_t>& owner, const Array<int8_t>& to_move)
        : game(game), size(to_move.size()), lines(lines.data()), owner(owner.data()), to_move(to_move.data()) {
        require_shape(to_move, {-1}, "to_move");
        require_shape(lines, {size, game.num_lines()}, "lines");
        require_shape(owner, {size, game.num_boxes()}, "owner");
        require_range<int8_t>(this->to_move, size, 0, 1, "to_move must be 0 or 1");
        require_range<int8_t>(this->owner, size * game.num_boxes(), -1, 1, "owner must be -1, 0 or 1");
        require_range<uint8_t>(this->lines, size * game.num_lines(), 0, 1, "lines must be 0 or 1");
    }

    // All at once, without a branch, as every call looks at every value of a batch.
    template <typename T>
    static void require_range(const T* values, py::ssize_t number, T least, T most, const char* rule) {
        T lowest = least, highest = most;
        for (py::ssize_t i = 0; i < number; ++i) {
            lowest = std::min(lowest, values[i]);
            highest = std::max(highest, values[i]);
        }
        const T wrong = lowest < least ? lowest : highest;
        if (lowest < least || highest > most)
            throw std::invalid_argument(std::string(rule) + ", got " + std::to_string(wrong));
    }

    BoxesState state(py::ssize_t index) const {
        BoxesState state = game.start();
        game.draw(state, lines + index * game.num_lines());
        const int8_t* const owners = owner + index * game.num_boxes();
        state.score = {0, 0};
        for (int box = 0; box < game.num_boxes(); ++box) {
            state.owner[box] = owners[box];
            if (owners[box] >= 0) ++state.score[owners[box] & 1];
        }
        state.to_move = to_move[index];
        return state;
    }

    const Boxes& game;
    py::ssize_t size;
    const uint8_t* lines;
    const int8_t* owner;
    const int8_t* to_move;
};

// Draws one line in the arrays of one game. Only the boxes beside it are looked at: loading a whole game would cost ten
// times as much.
void draw_line(const Boxes& game, int line, int8_t& to_move, uint8_t* lines, int8_t* owner, uint8_t& finished,
               int16_t* score) {
    lines[line] = 1;
    bool closes = false;
    for (const uint8_t box : game.boxes_beside(line)) {
        if (!game.is_box(box)) continue;
        const auto& [top, bottom, left, right] = game.lines_around(box);
        if (!(lines[top] && lines[bottom] && lines[left] && lines[right])) continue;
        owner[box] = to_move;
        closes = true;
    }
    if (!closes) to_move ^= 1;
    for (int8_t player = 0; player < 2; ++player)
        score[player] = static_cast<int16_t>(std::count(owner, owner + game.num_boxes(), player));
    finished = score[0] + score[1] == game.num_boxes();
}

// Plays one line in every game, in place; -1 leaves a game alone. Nothing is changed if an action is illegal:
// then the index of the first such game is returned, else -1.
py::ssize_t step(const Boxes& game, Array<uint8_t>& lines, Array<int8_t>& owner, Array<int8_t>& to_move,
                 Array<uint8_t>& finished, Array<int16_t>& score, const Array<int32_t>& action) {
    const Batch batch(game, lines, owner, to_move);
    require_shape(finished, {batch.size}, "finished");
    require_shape(score, {batch.size, 2}, "score");
    require_shape(action, {batch.size}, "action");
    uint8_t* const drawn = lines.mutable_data();
    int8_t* const owners = owner.mutable_data();
    int8_t* const movers = to_move.mutable_data();
    uint8_t* const ends = finished.mutable_data();
    int16_t* const scores = score.mutable_data();
    const int32_t* const actions = action.data();
    const py::gil_scoped_release release;
    const int num_lines = game.num_lines(), num_boxes = game.num_boxes();
    for (py::ssize_t i = 0; i < batch.size; ++i) {
        const int32_t line = actions[i];
        const bool fits = line == -1 ? ends[i] != 0 : line >= 0 && line < num_lines && !drawn[i * num_lines + line];
        if (!fits) return i;
    }
    for (py::ssize_t i = 0; i < batch.size; ++i) {
        if (actions[i] == -1) continue;
        draw_line(game, actions[i], movers[i], drawn + i * num_lines, owners + i * num_boxes, ends[i], scores + 2 * i);
    }
    return -1;
}

py::tuple observe(const Boxes& game, const Array<uint8_t>& lines, const Array<int8_t>& owner,
                  const Array<int8_t>& to_move) {
    const Batch batch(game, lines, owner, to_move);
    Array<uint8_t> points({batch.size, py::ssize_t{1}, py::ssize_t{game.rows() + 1}, py::ssize_t{game.columns() + 1}});
    Array<float> globals({batch.size, py::ssize_t{game.num_globals()}});
    uint8_t* const to_points = points.mutable_data();
    float* const to_globals = globals.mutable_data();
    {
        const py::gil_scoped_release release;
        for (py::ssize_t i = 0; i < batch.size; ++i)
            game.observe(batch.state(i), to_points + i * game.observation_bytes(), to_globals + i * game.num_globals());
    }
    return py::make_tuple(points, globals);
}

// What environments show of every game, see `View` in envs/game.py.
py::tuple view(const Boxes& game, const Array<uint8_t>& lines, const Array<int8_t>& owner, const Array<int8_t>& to_move) {
    const Batch batch(game, lines, owner, to_move);
    Array<int8_t> planes({batch.size, py::ssize_t{8}, py::ssize_t{game.rows() + 1}, py::ssize_t{game.columns() + 1}});
    Array<float> globals({batch.size, py::ssize_t{game.num_globals()}});
    Array<int8_t> mask({batch.size, py::ssize_t{game.num_lines()}});
    Array<int8_t> phase(batch.size), decided(batch.size);
    int8_t* const to_planes = planes.mutable_data();
    float* const to_globals = globals.mutable_data();
    int8_t* const to_mask = mask.mutable_data();
    int8_t* const to_phase = phase.mutable_data();
    int8_t* const to_decided = decided.mutable_data();
    {
        const py::gil_scoped_release release;
        BoxesView shown(game);
        const int num_lines = game.num_lines(), num_boxes = game.num_boxes();
        for (py::ssize_t i = 0; i < batch.size; ++i) {
            const uint8_t* const drawn = batch.lines + i * num_lines;
            const int8_t* const owners = batch.owner + i * num_boxes;
            const int num_drawn = shown.planes(drawn, to_planes + 8 * i * game.num_points());
            const int mine = static_cast<int>(std::count(owners, owners + num_boxes, batch.to_move[i]));
            const int theirs = static_cast<int>(std::count(owners, owners + num_boxes, batch.to_move[i] ^ 1));
            const int lead = game.misere() ? theirs - mine : mine - theirs, open = num_boxes - mine - theirs;
            game.describe(lead, num_drawn, mine + theirs, to_globals + i * game.num_globals());
            for (int line = 0; line < num_lines; ++line) to_mask[i * num_lines + line] = drawn[line] == 0;
            to_phase[i] = open == 0 ? 2 : !shown.has_safe_line(drawn);
            to_decided[i] = static_cast<int8_t>(std::abs(lead) <= open ? -1 : batch.to_move[i] ^ (lead < 0));
        }
    }
    return py::make_tuple(planes, globals, mask, phase, decided);
}

// Plays a sequence of lines in the one game of a batch, in place. Returns the score after every line [n, 2], who drew it
// [n], and the index of the first illegal line, at which it stops, else -1.
py::tuple replay(const Boxes& game, Array<uint8_t>& lines, Array<int8_t>& owner, Array<int8_t>& to_move,
                 Array<uint8_t>& finished, Array<int16_t>& score, const Array<int32_t>& actions) {
    const Batch batch(game, lines, owner, to_move);
    if (batch.size != 1) throw std::invalid_argument("replay needs one game, got " + std::to_string(batch.size));
    require_shape(finished, {1}, "finished");
    require_shape(score, {1, 2}, "score");
    require_shape(actions, {-1}, "actions");
    Array<int16_t> scores({actions.size(), py::ssize_t{2}});
    Array<int8_t> movers(actions.size());
    std::fill_n(scores.mutable_data(), scores.size(), int16_t{0});
    std::fill_n(movers.mutable_data(), movers.size(), int8_t{0});
    uint8_t* const drawn = lines.mutable_data();
    int8_t& mover = *to_move.mutable_data();
    py::ssize_t illegal = -1;
    for (py::ssize_t i = 0; i < actions.size(); ++i) {
        const int32_t line = actions.data()[i];
        if (line < 0 || line >= game.num_lines() || drawn[line]) {
            illegal = i;
            break;
        }
        movers.mutable_data()[i] = mover;
        draw_line(game, line, mover, drawn, owner.mutable_data(), *finished.mutable_data(), score.mutable_data());
        std::copy_n(score.data(), 2, scores.mutable_data(i, 0));
    }
    return py::make_tuple(scores, movers, illegal);
}

// Plays games of uniformly random lines to the end, all from the one position of the batch: its undrawn lines are
// shuffled once a game (every order of lines is a legal game). Returns the sum of player 0's final margins, which the
// benchmark and the tests check.
int64_t play_random_games(const Boxes& game, const Array<uint8_t>& lines, const Array<int8_t>& owner,
                          const Array<int8_t>& to_move, int64_t num_games, uint64_t seed) {
    const Batch batch(game, lines, owner, to_move);
    if (batch.size != 1) throw std::invalid_argument("to_move must be of one game, got " + std::to_string(batch.size));
    const BoxesState fresh = batch.state(0);
    const py::gil_scoped_release release;
    Random random(seed);
    std::array<uint8_t, BoxesState::kMaxLines> order{};
    int num_left = 0;
    for (int line = 0; line < game.num_lines(); ++line)
        if (!fresh.is_drawn(line)) order[num_left++] = static_cast<uint8_t>(line);
    int64_t total = 0;
    for (int64_t i = 0; i < num_games; ++i) {
        BoxesState state = fresh;
        for (int left = num_left; left > 0; --left) {
            std::swap(order[random.below(left)], order[left - 1]);
            game.step(state, order[left - 1]);
        }
        total += state.score[0] - state.score[1];
    }
    return game.misere() ? -total : total;
}

// Symmetries of the board as permutations of its lines, [symmetries, L].
BoxesImages read_images(const Boxes& game, const Array<int32_t>& images) {
    require_shape(images, {-1, game.num_lines()}, "images");
    if (images.shape(0) < 1) throw std::invalid_argument("images must hold a symmetry");
    const int num_symmetries = static_cast<int>(images.shape(0));
    for (int symmetry = 0; symmetry < num_symmetries; ++symmetry) {
        std::vector<bool> seen(static_cast<size_t>(game.num_lines()));
        for (int line = 0; line < game.num_lines(); ++line) {
            const int32_t image = *images.data(symmetry, line);
            if (image < 0 || image >= game.num_lines() || seen[static_cast<size_t>(image)])
                throw std::invalid_argument("images must be permutations of lines, got " + std::to_string(image));
            seen[static_cast<size_t>(image)] = true;
        }
    }
    return {game, {images.data(), images.data() + images.size()}, num_symmetries};
}

}  // namespace

void bind_boxes(py::module_& module) {
    py::class_<Boxes>(module, "Boxes")
        .def(py::init<int, int, bool>(), py::arg("rows"), py::arg("columns"), py::arg("misere") = false)
        .def_property_readonly("num_lines", &Boxes::num_lines)
        .def_property_readonly("num_boxes", &Boxes::num_boxes)
        .def_property_readonly("num_globals", &Boxes::num_globals)
        .def_property_readonly("num_policy_slots", &Boxes::num_policy_slots)
        .def("policy_slots", [](const Boxes& game) {
            Array<int32_t> slots(game.num_lines());
            for (int line = 0; line < game.num_lines(); ++line) slots.mutable_data()[line] = game.policy_slot(line);
            return slots;
        })
        .def("step", &step, py::arg("lines").noconvert(), py::arg("owner").noconvert(),
             py::arg("to_move").noconvert(), py::arg("finished").noconvert(), py::arg("score").noconvert(),
             py::arg("action").noconvert())
        .def("observe", &observe, py::arg("lines").noconvert(), py::arg("owner").noconvert(),
             py::arg("to_move").noconvert())
        .def("view", &view, py::arg("lines").noconvert(), py::arg("owner").noconvert(), py::arg("to_move").noconvert())
        .def("replay", &replay, py::arg("lines").noconvert(), py::arg("owner").noconvert(),
             py::arg("to_move").noconvert(), py::arg("finished").noconvert(), py::arg("score").noconvert(),
             py::arg("actions").noconvert())
        .def("play_random_games", &play_random_games, py::arg("lines").noconvert(), py::arg("owner").noconvert(),
             py::arg("to_move").noconvert(), py::arg("num_games"), py::arg("seed"));

    bind_search<SolvedBoxes>(module, "BoxesSearch")
        .def(py::init([](const Boxes& game, int num_games, const py::dict& options, int num_threads, int exact_lines,
                         size_t exact_table_bytes, bool essential_lines, bool essential_root,
                         const Array<int32_t>& images) {
                 SolvedBoxes solved(game, exact_lines, exact_table_bytes, signal_waits);
                 if (essential_lines) solved.keep_essentials(essential_root);
                 solved.set_images(read_images(game, images));
                 return std::make_unique<Search<SolvedBoxes>>(std::move(solved), num_games, read_options(options),
                                                              num_threads);
             }),
             py::arg("game"), py::arg("num_games"), py::arg("options"), py::arg("num_threads"), py::arg("exact_lines"),
             py::arg("exact_table_bytes"), py::arg("essential_lines"), py::arg("essential_root"),
             py::arg("images").noconvert())
        .def("set_roots", [](Search<SolvedBoxes>& search, const Array<int32_t>& slots, const Array<uint8_t>& lines,
                             const Array<int8_t>& owner, const Array<int8_t>& to_move) {
            require_slots(search, slots);
            const Batch batch(search.game(), lines, owner, to_move);
            require_shape(slots, {batch.size}, "slots");
            for (py::ssize_t i = 0; i < batch.size; ++i) search.set_root(slots.data()[i], batch.state(i));
        }, py::arg("slots").noconvert(), py::arg("lines").noconvert(), py::arg("owner").noconvert(),
             py::arg("to_move").noconvert());
}

}  // namespace dotzero
