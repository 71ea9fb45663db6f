#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace projnce {

/// A part of a picture, in whole pixels.
struct PixelBox {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  bool operator==(const PixelBox&) const = default;
};

/// Which part of a larger picture some pixels are. One of them stands for `reduction` x `reduction`
/// pixels of the full picture; at its right and lower end, a box of whole such squares may reach
/// over the edge (or, of a picture that was turned, at its left and upper end).
struct PictureWindow {
  int full_height = 0;
  int full_width = 0;
  PixelBox box = {};  ///< in the full picture; its sides are those of the pixels x reduction
  int reduction = 1;

  bool operator==(const PictureWindow&) const = default;
};

/// A decoded picture: bytes, rows from the top, channels interleaved (1 grey, 3 red green blue).
struct Image {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> pixels;               ///< height * width * channels
  std::optional<PictureWindow> window = {};  ///< none where these are all the pixels there are
  /// To be added to the pixels when views are made, where the sums leave 0..255; empty for none.
  std::vector<int16_t> noise = {};

  size_t bytes() const { return pixels.size() + noise.size() * sizeof(int16_t); }
  int full_height() const { return window ? window->full_height : height; }
  int full_width() const { return window ? window->full_width : width; }
};

}  // namespace projnce
