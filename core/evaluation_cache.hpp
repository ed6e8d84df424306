// Evaluations by position, in a table of fixed size: entries of sets of four, replaced in turn.
//
// Keys are compared in full, so an entry is never taken for another position's. Logits are kept as their distance from
// the highest one in steps of 1/1024: a rounding error of at most 1/2048 wherever they lie, at half the memory of
// floats. Distances of 64 and more become 64, which is a share of 1.6e-28 of the policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace dotzero {

class EvaluationCache {
  public:
    static constexpr int kMaxKeyWords = 5;
    static constexpr float kStep = 1.0f / 1024.0f;

    using Key = uint64_t[kMaxKeyWords];  // of which the table uses `num_key_words`

    struct Entry {
        const uint16_t* steps;  // below the highest logit; see kStep
        float value, margin;
    };

    EvaluationCache(size_t bytes, int num_key_words, int num_logits)
        : key_bytes_(8 * static_cast<size_t>(num_key_words)), num_logits_(static_cast<size_t>(num_logits)),
          stride_((key_bytes_ + sizeof(Head)) / 2 + num_logits_) {
        num_sets_ = std::max<size_t>(bytes / (2 * stride_ * kWays + 1), 1);
        if (num_sets_ > UINT32_MAX) throw std::invalid_argument("the evaluation cache is too large");
        memory_.resize(num_sets_ * kWays * stride_);
        next_way_.resize(num_sets_);
    }

    bool find(const Key& key, Entry& entry) const {
        const uint16_t* at = memory_.data() + set_number(key) * kWays * stride_;
        for (size_t way = 0; way < kWays; ++way, at += stride_) {
            if (std::memcmp(at, key, key_bytes_) != 0) continue;
            Head head;
            std::memcpy(&head, at + key_bytes_ / 2, sizeof head);
            if (head.generation != generation_) continue;
            entry = {at + (key_bytes_ + sizeof head) / 2, head.value, head.margin};
            return true;
        }
        return false;
    }

    // The key must not be in the table.
    void insert(const Key& key, const Entry& entry) {
        const size_t set = set_number(key), way = next_way_[set]++ % kWays;
        uint16_t* const at = memory_.data() + (set * kWays + way) * stride_;
        const Head head{generation_, entry.value, entry.margin};
        std::memcpy(at, key, key_bytes_);
        std::memcpy(at + key_bytes_ / 2, &head, sizeof head);
        std::copy_n(entry.steps, num_logits_, at + (key_bytes_ + sizeof head) / 2);
    }

    void clear() {
        ++generation_;
        std::fill(next_way_.begin(), next_way_.end(), uint8_t{0});  // what comes now must not depend on what was
    }

    bool equal(const Key& a, const Key& b) const { return std::memcmp(a, b, key_bytes_) == 0; }

    uint64_t hash(const Key& key) const {
        uint64_t hash = 0;
        for (size_t i = 0; i < key_bytes_ / 8; ++i) {
            hash = (hash ^ key[i]) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 32;
        }
        return hash * 0xD6E8FEB86659FD93ull;
    }

  private:
    static constexpr size_t kWays = 4;

    struct Head {
        uint32_t generation;
        float value, margin;
    };

    size_t set_number(const Key& key) const { return static_cast<size_t>((hash(key) >> 32) * num_sets_ >> 32); }

    size_t key_bytes_, num_logits_, stride_;  // the stride in units of two bytes
    size_t num_sets_ = 0;
    std::vector<uint16_t> memory_;
    std::vector<uint8_t> next_way_;
    uint32_t generation_ = 1;
};

}  // namespace dotzero
