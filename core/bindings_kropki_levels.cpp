// Kropki's levels without a network, for Python: risks of moves, and tree search by playouts.
//
// Letters: B games, A = H * W + 1 actions, N = H * W points.
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "kropki_arrays.hpp"
#include "kropki_playout_search.hpp"
#include "parallel.hpp"

namespace dotzero {
namespace {

// (lost [B, N] int16, exposed [B, N] bool), see KropkiTactics::Risks.
py::tuple risks(const KropkiGame& game, const py::args& args) {
    const KropkiArrays arrays = read_kropki_arrays(args, 0);
    const KropkiBatch batch(game, arrays);
    const KropkiTactics tactics(game);
    Array<int16_t> lost({batch.size(), py::ssize_t{game.area()}});
    Array<bool> exposed({batch.size(), py::ssize_t{game.area()}});
    int16_t* to_lost = lost.mutable_data();
    bool* to_exposed = exposed.mutable_data();
    {
        const py::gil_scoped_release release;
        const auto found = std::make_unique<KropkiTactics::Risks>();
        for (py::ssize_t i = 0; i < batch.size(); ++i) {
            KropkiState s = batch.state(i);
            tactics.find_risks(s, *found);
            for (int a = 0; a < game.area(); ++a) {
                const auto point = static_cast<size_t>(game.board().point(a));
                *to_lost++ = found->lost[point];
                *to_exposed++ = found->exposed[point] != 0;
            }
        }
    }
    return py::make_tuple(lost, exposed);
}

// What the player to move nets by a forced chase that begins on each point, see KropkiChase: [B, N] int16.
Array<int16_t> chases(const KropkiGame& game, int max_nodes, const py::args& args) {
    const KropkiArrays arrays = read_kropki_arrays(args, 0);
    const KropkiBatch batch(game, arrays);
    const KropkiTactics tactics(game);
    KropkiChase chase(tactics);
    Array<int16_t> net({batch.size(), py::ssize_t{game.area()}});
    int16_t* to_net = net.mutable_data();
    {
        const py::gil_scoped_release release;
        for (py::ssize_t i = 0; i < batch.size(); ++i) {
            const KropkiState s = batch.state(i);
            for (int a = 0; a < game.area(); ++a) {
                const int point = game.board().point(a);
                *to_net++ = static_cast<int16_t>(chase.can_begin(s, point) ? chase.net_of(s, point, max_nodes) : 0);
            }
        }
    }
    return net;
}

KropkiPlayoutOptions read_playout_options(const py::dict& given) {
    KropkiPlayoutOptions options;
    for (const auto& [key, value] : given) {
        const auto name = py::cast<std::string>(key);
        if (name == "radius") options.radius = py::cast<int>(value);
        else if (name == "moves") options.num_moves = py::cast<int>(value);
        else if (name == "length") options.length = py::cast<float>(value);
        else if (name == "exploration") options.exploration = py::cast<float>(value);
        else if (name == "amaf_visits") options.amaf_visits = py::cast<float>(value);
        else if (name == "margin_scale") options.margin_scale = py::cast<float>(value);
        else if (name == "result_weight") options.result_weight = py::cast<float>(value);
        else if (name == "chase_nodes") options.chase_nodes = py::cast<int>(value);
        else throw std::invalid_argument("unknown playout option " + name);
    }
    if (options.num_moves < 1) throw std::invalid_argument("moves must be at least 1");
    if (!(options.margin_scale > 0.0f)) throw std::invalid_argument("margin_scale must be above 0");
    return options;
}

// Searches for batches of games, one game a thread. Calls from several threads wait for each other.
class KropkiPlayouts {
  public:
    KropkiPlayouts(const KropkiGame& game, const py::dict& options, int num_threads)
        : game_(game), options_(read_playout_options(options)), pool_(num_threads) {
        if (num_threads < 1) throw std::invalid_argument("a search needs at least one thread");
        for (int i = 0; i < num_threads; ++i) searches_.push_back(std::make_unique<KropkiPlayoutSearch>(game_, options_));
    }

    // (visits [B, A] int32, values [B, A] float32); zeros in finished games.
    py::tuple run(const Array<uint64_t>& seeds, int num_playouts, const py::object& max_seconds, const py::args& args) {
        const KropkiArrays arrays = read_kropki_arrays(args, 0);
        const KropkiBatch batch(game_, arrays);
        require_shape(seeds, {batch.size()}, "seeds");
        const py::ssize_t width = game_.num_actions();
        Array<int32_t> visits({batch.size(), width});
        Array<float> values({batch.size(), width});
        std::fill_n(visits.mutable_data(), visits.size(), 0);
        std::fill_n(values.mutable_data(), values.size(), 0.0f);
        const double seconds =
            max_seconds.is_none() ? std::numeric_limits<double>::infinity() : py::cast<double>(max_seconds);
        const uint64_t* const luck = seeds.data();
        int32_t* const to_visits = visits.mutable_data();
        float* const to_values = values.mutable_data();
        bool complete;
        {
            const py::gil_scoped_release release;
            complete = each(static_cast<int>(batch.size()), [&](int i, KropkiPlayoutSearch& search, const auto& interrupted) {
                const KropkiState s = batch.state(i);
                if (s.finished) return true;
                if (!search.run(s, luck[i], num_playouts, seconds, interrupted)) return false;
                search.result(to_visits + i * width, to_values + i * width);
                return true;
            });
        }
        if (!complete) throw py::error_already_set();
        return py::make_tuple(visits, values);
    }

  private:
    // job(i, search, interrupted) for every game, each worker with a search of its own; false once one was interrupted.
    // Only the calling thread may ask Python, and does so for the others.
    template <class Job>
    bool each(int count, const Job& job) {
        const std::lock_guard<std::mutex> turn(asking_);
        const auto caller = std::this_thread::get_id();
        std::atomic<bool> stop{false};
        std::atomic<int> next{0};
        const auto interrupted = [&] {
            if (std::this_thread::get_id() == caller && signal_waits()) stop = true;
            return stop.load();
        };
        pool_.run(std::min(count, static_cast<int>(searches_.size())), [&](int worker) {
            for (int i = next++; i < count && !stop; i = next++)
                if (!job(i, *searches_[static_cast<size_t>(worker)], interrupted)) return;
        });
        return !stop;
    }

    std::mutex asking_;
    KropkiTactics game_;
    KropkiPlayoutOptions options_;
    ThreadPool pool_;
    std::vector<std::unique_ptr<KropkiPlayoutSearch>> searches_;  // one a worker
};

}  // namespace

void bind_kropki_levels(py::module_& module) {
    module.def("kropki_risks", &risks);
    module.def("kropki_chases", &chases, py::arg("game"), py::arg("max_nodes"));
    py::class_<KropkiPlayouts>(module, "KropkiPlayouts")
        .def(py::init<const KropkiGame&, const py::dict&, int>(), py::arg("game"), py::arg("options"), py::arg("num_threads"))
        .def("run", &KropkiPlayouts::run, py::arg("seeds").noconvert(), py::arg("num_playouts"),
             py::arg("max_seconds"));
}

}  // namespace dotzero
