// A small pool of threads that splits a range of independent jobs.
//
// The calling thread works too, so a pool of one thread starts none and costs nothing. The jobs of one call
// share no data, hence the result never depends on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dotzero {

class ThreadPool {
  public:
    explicit ThreadPool(int num_threads) {
        for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this] { serve(); });
    }

    ~ThreadPool() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // Calls job(i) for every i in 0..count-1 and returns when all are done. The first exception is rethrown.
    void run(int count, const std::function<void(int)>& job) {
        if (workers_.empty() || count < 2) {
            for (int i = 0; i < count; ++i) job(i);
            return;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            job_ = &job;
            count_ = count;
            chunk_ = std::max(1, count / (4 * static_cast<int>(workers_.size() + 1)));
            next_ = 0;
            busy_ = static_cast<int>(workers_.size());
            error_ = nullptr;
            ++round_;
        }
        wake_.notify_all();
        work(job);
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
        if (error_) std::rethrow_exception(error_);
    }

  private:
    void work(const std::function<void(int)>& job) {
        for (;;) {
            const int begin = next_.fetch_add(chunk_);
            if (begin >= count_) return;
            try {
                for (int i = begin; i < std::min(begin + chunk_, count_); ++i) job(i);
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (!error_) error_ = std::current_exception();
            }
        }
    }

    void serve() {
        uint64_t seen = 0;
        for (;;) {
            const std::function<void(int)>* job;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
                if (stopping_) return;
                seen = round_;
                job = job_;
            }
            work(*job);
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                --busy_;
            }
            done_.notify_one();
        }
    }

    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::exception_ptr error_;
    const std::function<void(int)>* job_ = nullptr;
    std::atomic<int> next_{0};
    int count_ = 0, chunk_ = 1, busy_ = 0;
    uint64_t round_ = 0;
    bool stopping_ = false;
};

}  // namespace dotzero
