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

  size_t bytes() const { return pixels.size(); }
};

}  // namespace projnce
