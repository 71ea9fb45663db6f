#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace projnce {

/// A decoded picture: bytes, rows from the top, channels interleaved (1 grey, 3 red green blue).
struct Image {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> pixels;  // height * width * channels
  /// To be added to the pixels when views are made, where the sums leave 0..255; empty for none.
  std::vector<int16_t> noise = {};

  size_t bytes() const { return pixels.size() + noise.size() * sizeof(int16_t); }
};

}  // namespace projnce
