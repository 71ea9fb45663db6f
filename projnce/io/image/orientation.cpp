#include "projnce/io/image/orientation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace projnce::io {

namespace {

constexpr int kUpright = 1;
constexpr uint32_t kOrientationTag = 0x0112;
constexpr uint32_t kShort = 3;
constexpr size_t kEntryBytes = 12;

/// Numbers of a TIFF structure in its own byte order; 0 where they would lie outside.
class TiffNumbers {
 public:
  TiffNumbers(std::span<const uint8_t> bytes, bool high_byte_first)
      : bytes_(bytes), high_byte_first_(high_byte_first) {}

  size_t size() const { return bytes_.size(); }
  uint32_t two_bytes(size_t place) const { return number(place, 2); }
  uint32_t four_bytes(size_t place) const { return number(place, 4); }

 private:
  uint32_t number(size_t place, size_t size) const {
    if (place > bytes_.size() || bytes_.size() - place < size) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | bytes_[place + (high_byte_first_ ? i : size - 1 - i)];
    }
    return value;
  }

  std::span<const uint8_t> bytes_;
  bool high_byte_first_;
};

}  // namespace

int exif_orientation(std::span<const uint8_t> segment) {
  constexpr std::array<uint8_t, 6> kMark = {'E', 'x', 'i', 'f', 0, 0};
  if (segment.size() < kMark.size() + 8) return kUpright;
  if (!std::equal(kMark.begin(), kMark.end(), segment.begin())) return kUpright;
  const auto tiff = segment.subspan(kMark.size());
  const bool motorola = tiff[0] == 'M' && tiff[1] == 'M';
  if (!motorola && !(tiff[0] == 'I' && tiff[1] == 'I')) return kUpright;

  const TiffNumbers numbers(tiff, motorola);
  if (numbers.two_bytes(2) != 42) return kUpright;
  const size_t directory = numbers.four_bytes(4);
  const size_t first = directory + 2;
  const size_t end = std::min(numbers.size(), first + numbers.two_bytes(directory) * kEntryBytes);
  for (size_t entry = first; entry < end; entry += kEntryBytes) {
    if (numbers.two_bytes(entry) != kOrientationTag) continue;
    const bool one_short =
        numbers.two_bytes(entry + 2) == kShort && numbers.four_bytes(entry + 4) == 1;
    const uint32_t value = numbers.two_bytes(entry + 8);
    return one_short && value >= 1 && value <= 8 ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

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

PixelBox Orientation::to_image(const PixelBox& box, int file_height, int file_width) const {
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
    window.box = to_image(window.box, window.full_height, window.full_width);
    if (swaps_axes_) std::swap(window.full_height, window.full_width);
  }
  return turned;
}

}  // namespace projnce::io
