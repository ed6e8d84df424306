// A game written down as tables: toy worlds with known values, for testing search and learning.
//
// State s has the player to move to_move[s], the successors next[s][a] (-1: not legal) and, where no action is
// legal, the final margin of player 0. The observation is the number of the state in four bytes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace dotzero {

class TableGame {
  public:
    using State = int32_t;
    static constexpr bool kHasImages = false;
    static constexpr bool kHasEssentials = false;

    TableGame(int num_actions, std::vector<int32_t> next, std::vector<int8_t> to_move, std::vector<float> margin)
        : num_actions_(num_actions), next_(std::move(next)), to_move_(std::move(to_move)), margin_(std::move(margin)) {
        for (const int32_t state : next_)
            if (state < -1 || state >= static_cast<int32_t>(to_move_.size()))
                throw std::invalid_argument("next must be -1 or a state, got " + std::to_string(state));
    }

    int num_states() const { return static_cast<int>(to_move_.size()); }
    int num_actions() const { return num_actions_; }
    int num_policy_slots() const { return num_actions_; }
    int policy_slot(int action) const { return action; }
    int observation_bytes() const { return 4; }
    int num_globals() const { return 1; }

    bool finished(State state) const {
        for (int action = 0; action < num_actions_; ++action)
            if (next(state, action) >= 0) return false;
        return true;
    }
    int to_move(State state) const { return to_move_[state]; }
    float margin(State state) const { return to_move_[state] == 0 ? margin_[state] : -margin_[state]; }

    bool solved(State, float&) const { return false; }
    void forget_interruption() const {}

    int legal(State state, uint16_t* actions) const {
        int count = 0;
        for (int action = 0; action < num_actions_; ++action)
            if (next(state, action) >= 0) actions[count++] = static_cast<uint16_t>(action);
        return count;
    }

    void step(State& state, int action) const { state = next(state, action); }

    void observe(State state, uint8_t* points, float* globals) const {
        for (int byte = 0; byte < 4; ++byte) points[byte] = static_cast<uint8_t>(state >> (8 * byte));
        globals[0] = margin(state);
    }

  private:
    int32_t next(State state, int action) const { return next_[static_cast<size_t>(state) * num_actions_ + action]; }

    int num_actions_;
    std::vector<int32_t> next_;
    std::vector<int8_t> to_move_;
    std::vector<float> margin_;
};

}  // namespace dotzero
