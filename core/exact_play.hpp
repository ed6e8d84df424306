// Exact play for whole positions and batches of them: values of lines, best lines, rollouts, several threads.
//
// Values never depend on threads, on earlier questions or on the table. Limits by nodes are kept reproducible
// too: such a position is searched by one thread that starts from an empty table. Limits by time are not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "parallel.hpp"
#include "solver.hpp"

namespace dotzero {

// What the searches of one board share.
struct SolverBoard {
    SolverBoard(int rows, int columns) : planes(rows, columns), zobrist(planes) {}

    const BoxesPlanes planes;
    const ZobristKeys zobrist;
};

class ExactPlay {
  public:
    ExactPlay(int rows, int columns, size_t table_bytes, int num_threads)
        : board_(rows, columns), table_bytes_(table_bytes), pool_(num_threads), num_threads_(num_threads),
          own_tables_(num_threads) {
        if (num_threads < 1) throw std::invalid_argument("exact play needs at least one thread");
    }

    const BoxesPlanes& planes() const { return board_.planes; }

    void forget() {
        const std::lock_guard<std::mutex> turn(asking_);
        if (shared_table_) shared_table_->forget();
    }

    // Answers one question about each of `count` positions: ask(i, solver). With a limit by nodes each gets a
    // fresh solver, else they share what they find out. A single question may use all threads. Calls from
    // several threads wait for each other.
    //
    // `interrupted_now` is asked now and then in the calling thread; once it says yes, what is left of the
    // questions gets answers without meaning, and each() returns false.
    template <class Interrupted, class Ask>
    bool each(int count, SolverLimits limits, const Interrupted& interrupted_now, const Ask& ask) {
        const auto started = std::chrono::steady_clock::now();
        const std::lock_guard<std::mutex> turn(asking_);
        const auto caller = std::this_thread::get_id();
        std::atomic<bool> stop{false};
        const std::function<bool()> interrupted = [&] {
            if (std::this_thread::get_id() == caller && interrupted_now()) stop = true;
            return stop.load();
        };
        limits.interrupted = &interrupted;
        limits.stop = &stop;
        const bool reproducible = limits.max_nodes != SolverLimits{}.max_nodes;
        const int num_workers = std::min(num_threads_, count);
        const int num_helpers = reproducible || count > 1 ? 0 : num_threads_ - 1;
        if (!reproducible && !shared_table_) shared_table_ = std::make_unique<SolverTable>(table_bytes_);
        std::atomic<int> next{0};
        pool_.run(num_workers, [&](int worker) {
            SolverTable& table = reproducible ? own_table(worker) : *shared_table_;
            std::optional<Questioner> questioner;
            for (int i = next++; i < count; i = next++) {
                if (reproducible) table.forget();
                if (reproducible || !questioner) questioner.emplace(*this, table, num_helpers);
                questioner->begin(left_of(limits, started));
                if (i % kAskEvery == 0) interrupted();  // small positions end before they ask
                ask(i, *questioner);
            }
        });
        return !stop;
    }

    // Asks about one position; the limits hold for all that is asked about it together.
    class Questioner {
      public:
        Questioner(ExactPlay& play, SolverTable& table, int num_helpers)
            : play_(play), table_(table), search_(play.board_.planes, play.board_.zobrist, table),
              num_helpers_(num_helpers) {}

        void begin(const SolverLimits& limits) {
            limits_ = limits;
            num_nodes_ = 0;
            started_ = std::chrono::steady_clock::now();
        }

        uint64_t num_nodes() const { return num_nodes_; }

        // `max_nodes` limits this question alone.
        Answer solve(const LineSet& undrawn, uint64_t max_nodes = SolverLimits{}.max_nodes) {
            SolverLimits limits = remaining();
            limits.max_nodes = std::min(limits.max_nodes, max_nodes);
            if (num_helpers_) limits.max_nodes = std::min(limits.max_nodes, kAlone);
            Answer answer = search_.solve(undrawn, limits);
            num_nodes_ += answer.num_nodes;
            if (answer.exact() || !num_helpers_) return answer;
            const Answer together = solve_together(undrawn, remaining());
            return {std::max(answer.lower, together.lower), std::min(answer.upper, together.upper), together.num_nodes};
        }

        // The value of drawing `slot`, for the player who draws it.
        Answer line_value(const LineSet& undrawn, int slot) {
            const auto [after, closed] = draw(undrawn, slot);
            const Answer rest = solve(after);
            if (closed) return {closed + rest.lower, closed + rest.upper, rest.num_nodes};
            return {-rest.upper, -rest.lower, rest.num_nodes};
        }

        // Whether drawing `slot` is worth `value`, the value of the position: 1 yes, 0 no, -1 not known.
        int keeps(const LineSet& undrawn, int slot, int value) {
            const auto [after, closed] = draw(undrawn, slot);
            const int threshold = closed ? value - closed : 1 - value;
            SolverLimits limits = remaining();
            if (num_helpers_) limits.max_nodes = std::min(limits.max_nodes, kAlone);
            int answer = search_.reaches(after, threshold, limits);
            num_nodes_ += search_.num_nodes();
            if (answer < 0 && num_helpers_) {
                const Answer rest = solve_together(after, remaining());
                answer = rest.lower >= threshold ? 1 : rest.upper < threshold ? 0 : -1;
            }
            return answer < 0 || closed ? answer : 1 - answer;
        }

      private:
        struct Drawn {
            LineSet after;
            int closed;  // boxes
        };

        static constexpr uint64_t kAlone = 20000;  // nodes before it pays to wake other threads

        Drawn draw(LineSet undrawn, int slot) const {
            const uint64_t open = play_.board_.planes.degrees(undrawn).open();
            undrawn.remove(slot);
            return {undrawn, __builtin_popcountll(open & ~play_.board_.planes.degrees(undrawn).open())};
        }

        SolverLimits remaining() const {
            SolverLimits limits = left_of(limits_, started_);
            if (limits.max_nodes != SolverLimits{}.max_nodes)
                limits.max_nodes -= std::min(num_nodes_, limits.max_nodes);
            return limits;
        }

        // All threads search for the same value and find each other's results in the table; the first to end wins.
        Answer solve_together(const LineSet& undrawn, const SolverLimits& limits) {
            std::atomic<bool> found{false};
            SolverLimits until_found = limits;
            until_found.stop = &found;
            std::vector<Answer> answers(num_helpers_ + 1);
            play_.pool_.run(num_helpers_ + 1, [&](int thread) {
                SolverSearch search(play_.board_.planes, play_.board_.zobrist, table_, thread);
                answers[thread] = search.solve(undrawn, until_found);
                found = true;
            });
            Answer best = answers[0];
            for (const Answer& answer : answers) {
                best.lower = std::max(best.lower, answer.lower);
                best.upper = std::min(best.upper, answer.upper);
                num_nodes_ += answer.num_nodes;
            }
            return best;
        }

        ExactPlay& play_;
        SolverTable& table_;
        SolverSearch search_;
        int num_helpers_;
        SolverLimits limits_;
        uint64_t num_nodes_ = 0;
        std::chrono::steady_clock::time_point started_;
    };

  private:
    static constexpr int kAskEvery = 256;  // positions

    static SolverLimits left_of(SolverLimits limits, std::chrono::steady_clock::time_point started) {
        limits.max_seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        return limits;
    }

    SolverTable& own_table(int worker) {
        if (!own_tables_[worker]) own_tables_[worker] = std::make_unique<SolverTable>(table_bytes_);
        return *own_tables_[worker];
    }

    std::mutex asking_;
    SolverBoard board_;
    size_t table_bytes_;
    ThreadPool pool_;
    int num_threads_;
    std::unique_ptr<SolverTable> shared_table_;
    std::vector<std::unique_ptr<SolverTable>> own_tables_;
};

}  // namespace dotzero
