// Kropki: the weights of kropki_priors.hpp, natural logarithms; how they were found stands there.
#pragma once

#include <array>

namespace dotzero::prior_weights {

// Enemy dots that it takes: 0, 1, 2, 3, 4 to 6, more.
constexpr std::array<float, 6> kTaken{-1.66f, -0.39f, -0.07f, 0.16f, 0.67f, 1.29f};
// Own dots that the enemy would take there, likewise.
constexpr std::array<float, 6> kSaved{-1.45f, -0.32f, 0.08f, 0.18f, 0.43f, 1.08f};
// Runs of own neighbours (rows) and of the enemy's: 0, 1, 2, more.
constexpr std::array<std::array<float, 4>, 4> kRuns{{
    {0.44f, -0.10f, -0.13f, -0.66f},
    {-0.49f, -0.10f, 0.42f, 0.43f},
    {-0.07f, 0.26f, 0.67f, 0.21f},
    {-0.35f, -0.34f, -0.11f, -0.08f},
}};
// Own orthogonal neighbours.
constexpr std::array<float, 5> kMySides{0.43f, 0.13f, -0.42f, -0.42f, 0.28f};
// The enemy's.
constexpr std::array<float, 5> kTheirSides{0.46f, 0.26f, -0.26f, -0.72f, 0.28f};
// Own diagonal neighbours.
constexpr std::array<float, 5> kMyCorners{0.08f, 0.05f, -0.04f, -0.08f, -0.02f};
// The enemy's.
constexpr std::array<float, 5> kTheirCorners{0.73f, 0.15f, -0.08f, -0.42f, -0.38f};
// Own neighbours: none, one run, runs of one set, runs of several sets.
constexpr std::array<float, 4> kMyLink{-0.46f, 0.26f, -0.12f, 0.31f};
// The enemy's: the last is a cut.
constexpr std::array<float, 4> kTheirLink{-0.47f, -0.28f, 0.48f, 0.26f};
// Step from the last dot: 1-0, 1-1, 2-0, 2-1, 2-2, 3-0 .. 3-3, farther.
constexpr std::array<float, 10> kFromLast{0.77f, 0.88f, 0.10f, -0.02f, -0.01f, -0.27f, -0.27f, -0.31f, -0.32f, -0.55f};
// From the dot before it.
constexpr std::array<float, 10> kFromBefore{0.69f, 0.29f, 0.17f, 0.19f, -0.04f, 0.01f, -0.06f, -0.26f, -0.39f, -0.60f};
// Points from the edge: 0 .. 4, more.
constexpr std::array<float, 6> kFromEdge{-0.54f, 0.03f, 0.13f, 0.12f, 0.13f, 0.13f};
// Own dots two steps straight away (rows) and a knight's move away: 0, 1, 2, more.
constexpr std::array<std::array<float, 4>, 4> kMyJumps{{
    {-0.63f, -0.24f, -0.22f, -0.11f},
    {0.18f, 0.13f, 0.06f, 0.01f},
    {0.26f, 0.18f, 0.22f, 0.11f},
    {-0.13f, 0.01f, 0.02f, 0.17f},
}};
// The enemy's.
constexpr std::array<std::array<float, 4>, 4> kTheirJumps{{
    {0.25f, 0.18f, 0.05f, -0.02f},
    {0.32f, 0.25f, 0.09f, -0.09f},
    {0.19f, 0.10f, 0.08f, -0.13f},
    {-0.40f, -0.41f, -0.27f, -0.20f},
}};
// In no house, an own one, the enemy's.
constexpr std::array<float, 3> kHouse{-0.78f, 0.72f, 0.06f};
// Own neighbours: none, grounded, not grounded, both kinds.
constexpr std::array<float, 4> kMyGround{-0.75f, 0.01f, 0.21f, 0.53f};
// The enemy's.
constexpr std::array<float, 4> kTheirGround{-0.74f, -0.10f, 0.27f, 0.58f};

}  // namespace dotzero::prior_weights
