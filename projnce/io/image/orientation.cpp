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

/// Reads integers of a TIFF structure in its byte order; 0 if they are out of bounds.
class TiffNumbers {
 public:
  TiffNumbers(std::span<const uint8_t> bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  size_t size() const { return bytes_.size(); }
  uint32_t two_bytes(size_t offset) const { return number(offset, 2); }
  uint32_t four_bytes(size_t offset) const { return number(offset, 4); }

 private:
  uint32_t number(size_t offset, size_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | bytes_[offset + (big_endian_ ? i : size - 1 - i)];
    }
    return value;
  }

  std::span<const uint8_t> bytes_;
  bool big_endian_;
};

}  // namespace

int exif_orientation(std::span<const uint8_t> segment) {
  constexpr std::array<uint8_t, 6> kMagic = {'E', 'x', 'i', 'f', 0, 0};
  if (segment.size() < kMagic.size() + 8) return kUpright;
  if (!std::equal(kMagic.begin(), kMagic.end(), segment.begin())) return kUpright;
  const auto tiff = segment.subspan(kMagic.size());
  const bool big_endian = tiff[0] == 'M' && tiff[1] == 'M';
  if (!big_endian && !(tiff[0] == 'I' && tiff[1] == 'I')) return kUpright;

  const TiffNumbers numbers(tiff, big_endian);
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

Image Orientation::reorder_pixels(const Image& image) const {
  Image result = image;
  if (swaps_axes_) std::swap(result.height, result.width);
  const auto channels = static_cast<ptrdiff_t>(image.channels);
  const auto width = static_cast<ptrdiff_t>(image.width);
  uint8_t* target = result.pixels.data();
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x, target += channels) {
      int row = swaps_axes_ ? x : y;
      int column = swaps_axes_ ? y : x;
      if (mirrors_rows_) row = image.height - 1 - row;
      if (mirrors_columns_) column = image.width - 1 - column;
      std::copy_n(image.pixels.data() + (row * width + column) * channels, channels, target);
    }
  }
  return result;
}

Image Orientation::apply(Image image) const {
  if (upright()) return image;
  auto result = reorder_pixels(image);
  if (result.window) {
    auto& window = *result.window;
    window.box = to_image(window.box, window.full_height, window.full_width);
    if (swaps_axes_) std::swap(window.full_height, window.full_width);
  }
  return result;
}

}  // namespace projnce::io
