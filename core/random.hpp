// Random numbers for the core: one small generator a game, so that a game's luck depends on its own seed only,
// never on the number of threads or on the games beside it.
//
// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). The
// distributions are written out because the standard library's differ from compiler to compiler.
#pragma once

#include <cmath>
#include <cstdint>

namespace dotzero {

class Random {
  public:
    explicit Random(uint64_t state = 0) : state_(state) {}

    uint64_t state() const { return state_; }

    uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ull;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }

    // Uniform in 0..bound-1 by multiply and shift (Lemire); the bias is below bound / 2^32.
    uint32_t below(uint32_t bound) { return static_cast<uint32_t>(((next() >> 32) * bound) >> 32); }

    // Uniform in the open interval (0, 1).
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

    double gumbel() { return -std::log(-std::log(uniform())); }

    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

    // Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 2000.
    double gamma(double shape) {
        if (shape < 1.0) return gamma(shape + 1.0) * std::pow(uniform(), 1.0 / shape);
        const double d = shape - 1.0 / 3.0;
        const double c = 1.0 / std::sqrt(9.0 * d);
        for (;;) {
            const double x = normal();
            const double v = 1.0 + c * x;
            if (v <= 0.0) continue;
            const double cube = v * v * v;
            if (std::log(uniform()) < 0.5 * x * x + d - d * cube + d * std::log(cube)) return d * cube;
        }
    }

  private:
    uint64_t state_;
};

}  // namespace dotzero
