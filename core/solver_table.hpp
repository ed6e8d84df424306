// The memory of the exact solver: two bounds on the value of each position met, shared by threads without
// locks.
//
// A bucket is one cache line of four entries of two words. The key's check is stored xor'ed with the other word, so an
// entry torn by two threads does not match (Hyatt and Mann, "A lock-less transposition table implementation for
// parallel search", ICGA Journal 2002). Of four entries the one of least work is replaced.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <stdexcept>

namespace dotzero {

// Where an entry belongs and what it is known by. The two must be independent: were the place a part of the check,
// a full table of many GiB would leave few bits to tell positions apart, and a search of billions of positions
// would meet false ones.
struct TableKey {
    uint64_t check, place;
};

struct Bounds {
    int lower, upper;
    int slot = kNoSlot;  // the line that was best or refuted, in the frame of the key

    static constexpr int kNoSlot = 255;
};

class SolverTable {
  public:
    explicit SolverTable(size_t num_bytes) {
        num_buckets_ = std::max<size_t>(num_bytes / sizeof(Bucket), 1);
        if (num_buckets_ > UINT32_MAX) throw std::invalid_argument("a table has at most 256 GiB");
        buckets_ = fresh_buckets();
    }

    ~SolverTable() { munmap(buckets_, num_buckets_ * sizeof(Bucket)); }

    SolverTable(const SolverTable&) = delete;
    SolverTable& operator=(const SolverTable&) = delete;

    // Forgets everything: no earlier entry is found again or stands in the way of a new one. For results that
    // must not hang on what was asked before (limits by nodes); values never do.
    void forget() {
        if (generation_ == kLastGeneration) {
            Bucket* const fresh = fresh_buckets();  // before the old ones go: it may fail
            munmap(buckets_, num_buckets_ * sizeof(Bucket));
            buckets_ = fresh;
            generation_ = 0;
        }
        ++generation_;
    }

    void prefetch(const TableKey& key) const { __builtin_prefetch(&bucket(key)); }

    bool find(const TableKey& key, Bounds& bounds) const {
        for (const Entry& entry : bucket(key).entries) {
            const uint64_t data = entry.data.load(std::memory_order_relaxed);
            if ((entry.check.load(std::memory_order_relaxed) ^ data) != key.check) continue;
            if (generation(data) != generation_) continue;
            bounds = {static_cast<int8_t>(data), static_cast<int8_t>(data >> 8), static_cast<uint8_t>(data >> 16)};
            return true;
        }
        return false;
    }

    // Bounds that are known of this key already are kept where they are tighter.
    void store(const TableKey& key, Bounds bounds, uint32_t work) {
        Entry* victim = nullptr;
        uint64_t least = UINT64_MAX;
        for (Entry& entry : bucket(key).entries) {
            const uint64_t data = entry.data.load(std::memory_order_relaxed);
            const bool current = generation(data) == generation_;
            if (current && (entry.check.load(std::memory_order_relaxed) ^ data) == key.check) {
                bounds.lower = std::max<int>(bounds.lower, static_cast<int8_t>(data));
                bounds.upper = std::min<int>(bounds.upper, static_cast<int8_t>(data >> 8));
                work = std::max(work, static_cast<uint32_t>(data >> 32));
                victim = &entry;
                break;
            }
            const uint64_t value = current ? (data >> 32) + 1 : 0;
            if (value < least) least = value, victim = &entry;
        }
        const uint64_t data = pack(bounds, work);
        victim->data.store(data, std::memory_order_relaxed);
        victim->check.store(key.check ^ data, std::memory_order_relaxed);
    }

  private:
    static constexpr uint8_t kLastGeneration = 255;

    struct Entry {
        std::atomic<uint64_t> check, data;  // data: lower, upper, slot, generation (a byte each), work (4 bytes)
    };
    struct alignas(64) Bucket {
        Entry entries[4];
    };

    uint64_t pack(const Bounds& bounds, uint32_t work) const {
        const auto byte = [](int value) { return static_cast<uint64_t>(static_cast<uint8_t>(value)); };
        return byte(bounds.lower) | byte(bounds.upper) << 8 | byte(bounds.slot) << 16 | byte(generation_) << 24 |
               static_cast<uint64_t>(work) << 32;
    }

    static uint8_t generation(uint64_t data) { return static_cast<uint8_t>(data >> 24); }

    // By multiply and shift.
    Bucket& bucket(const TableKey& key) const { return buckets_[(key.place >> 32) * num_buckets_ >> 32]; }

    // All zero, and taken from the machine page by page as it is used.
    Bucket* fresh_buckets() const {
        const size_t num_bytes = num_buckets_ * sizeof(Bucket);
        void* const memory = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        madvise(memory, num_bytes, MADV_HUGEPAGE);  // fewer misses of the page tables; may fail
#endif
        return static_cast<Bucket*>(memory);
    }

    Bucket* buckets_;
    size_t num_buckets_;
    uint8_t generation_ = 1;  // fresh memory has generation 0: no entry
};

}  // namespace dotzero
