#include "projnce/io/orientation.h"

#include <algorithm>
#include <utility>

namespace projnce {

namespace {

PixelBox with_swapped_axes(const PixelBox& box) {
  return {box.left, box.top, box.width, box.height};
}

}  // namespace

PixelBox Orientation::mirrored(PixelBox box, int file_height, int file_width) const {
  if (mirrors_rows_) box.top = file_height - box.top - box.height;
  if (mirrors_columns_) box.left = file_width - box.left - box.width;
  return box;
}

PixelBox Orientation::to_file(const PixelBox& box, int file_height, int file_width) const {
  return mirrored(swaps_axes_ ? with_swapped_axes(box) : box, file_height, file_width);
}

PixelBox Orientation::to_picture(const PixelBox& box, int file_height, int file_width) const {
  const auto straight = mirrored(box, file_height, file_width);
  return swaps_axes_ ? with_swapped_axes(straight) : straight;
}

Image Orientation::turned_pixels(const Image& image) const {
  Image turned = image;
  if (swaps_axes_) std::swap(turned.height, turned.width);
  const auto channels = static_cast<ptrdiff_t>(image.channels);
  const auto width = static_cast<ptrdiff_t>(image.width);
  uint8_t* target = turned.pixels.data();
  for (int y = 0; y < turned.height; ++y) {
    for (int x = 0; x < turned.width; ++x, target += channels) {
      int row = swaps_axes_ ? x : y;
      int column = swaps_axes_ ? y : x;
      if (mirrors_rows_) row = image.height - 1 - row;
      if (mirrors_columns_) column = image.width - 1 - column;
      std::copy_n(image.pixels.data() + (row * width + column) * channels, channels, target);
    }
  }
  return turned;
}

Image Orientation::turn(Image image) const {
  if (upright()) return image;
  auto turned = turned_pixels(image);
  if (turned.window) {
    auto& window = *turned.window;
    window.box = to_picture(window.box, window.full_height, window.full_width);
    if (swaps_axes_) std::swap(window.full_height, window.full_width);
  }
  return turned;
}

}  // namespace projnce
