// Dots and Boxes: of all images of a position under the board's symmetries the one to stand for them.
//
// It is the image whose drawn lines make the smallest number; of equal ones the first. Images are put together from
// tables of four lines each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "boxes.hpp"
#include "evaluation_cache.hpp"

namespace dotzero {

class BoxesImages {
  public:
    // `images` [num_symmetries, num_lines]: where each line comes to lie. Only with those that keep the lines that are
    // drawn before the game are all images positions of the same game.
    BoxesImages(const Boxes& game, std::vector<int32_t> images, int num_symmetries)
        : num_lines_(game.num_lines()), num_words_((game.num_lines() + 63) / 64),
          num_nibbles_((game.num_lines() + 3) / 4), num_symmetries_(num_symmetries), images_(std::move(images)) {
        parts_.resize(static_cast<size_t>(num_symmetries_ * num_nibbles_ * 16 * num_words_));
        for (int symmetry = 0; symmetry < num_symmetries_; ++symmetry)
            for (int nibble = 0; nibble < num_nibbles_; ++nibble)
                for (int lines = 0; lines < 16; ++lines) fill_part(symmetry, nibble, lines);
    }

    int num_key_words() const { return num_words_ + 1; }
    int image(int symmetry, int line) const { return images_[static_cast<size_t>(symmetry * num_lines_ + line)]; }

    // Writes the drawn lines of the chosen image and the margin so far, on which all that is observed depends. Returns
    // the symmetry that leads to the image.
    int canonical(const Boxes& game, const BoxesState& state, EvaluationCache::Key& key) const {
        const int symmetry = num_words_ == 1 ? smallest<1>(state, key) : smallest<4>(state, key);
        key[num_words_] = static_cast<uint64_t>(static_cast<int64_t>(game.margin(state)));
        return symmetry;
    }

    // The image of a position whose key is given. Boxes have no owners in it.
    BoxesState state(const Boxes& game, const BoxesState& of, const EvaluationCache::Key& key) const {
        BoxesState image = game.start();
        for (int word = 0; word < num_words_; ++word) {
            image.drawn[word] = key[word];
            for (uint64_t left = key[word]; left; left &= left - 1) {
                const auto [one, two] = game.boxes_beside(word * 64 + __builtin_ctzll(left));
                ++image.sides[one];
                ++image.sides[two];
            }
        }
        image.num_drawn = of.num_drawn;
        image.score = of.score;
        image.to_move = of.to_move;
        return image;
    }

  private:
    template <int kWords>
    int smallest(const BoxesState& state, EvaluationCache::Key& key) const {
        const int num_words = kWords == 1 ? 1 : num_words_;
        int best = 0;
        for (int symmetry = 0; symmetry < num_symmetries_; ++symmetry) {
            std::array<uint64_t, kWords> image{};
            const uint64_t* part = parts_.data() + static_cast<size_t>(symmetry * num_nibbles_ * 16 * num_words);
            for (int nibble = 0; nibble < num_nibbles_; ++nibble, part += 16 * num_words) {
                const size_t lines = state.drawn[nibble >> 4] >> (4 * (nibble & 15)) & 15;
                for (int word = 0; word < num_words; ++word) image[word] |= part[lines * num_words + word];
            }
            bool less = symmetry == 0;
            for (int word = 0; word < num_words && !less; ++word) {
                if (image[word] > key[word]) break;
                less = image[word] < key[word];
            }
            if (!less) continue;
            best = symmetry;
            for (int word = 0; word < num_words; ++word) key[word] = image[word];
        }
        return best;
    }

    void fill_part(int symmetry, int nibble, int lines) {
        uint64_t* const part =
            parts_.data() + static_cast<size_t>(((symmetry * num_nibbles_ + nibble) * 16 + lines) * num_words_);
        for (int i = 0; i < 4; ++i) {
            if (!(lines >> i & 1) || 4 * nibble + i >= num_lines_) continue;
            const int line = image(symmetry, 4 * nibble + i);
            part[line >> 6] |= uint64_t{1} << (line & 63);
        }
    }

    int num_lines_, num_words_, num_nibbles_, num_symmetries_;
    std::vector<int32_t> images_;
    std::vector<uint64_t> parts_;  // [symmetry, nibble, its 16 sets of lines, word]
};

}  // namespace dotzero
