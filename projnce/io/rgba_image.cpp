#include "projnce/io/rgba_image.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "projnce/io/image_decoders.h"

namespace projnce {

namespace {

std::array<uint8_t, 3> over_white(const uint8_t* rgba, AlphaKind kind) {
  const int alpha = rgba[3];
  std::array<uint8_t, 3> color{};
  for (size_t c = 0; c < color.size(); ++c) {
    const int value = kind == AlphaKind::kStraight
                          ? (rgba[c] * alpha + 255 * (255 - alpha) + 127) / 255
                          : std::min(255, rgba[c] + 255 - alpha);
    color[c] = static_cast<uint8_t>(value);
  }
  return color;
}

/// The first of the three equal channels.
Image first_channel(const Image& image) {
  auto gray = blank_image(image.height, image.width, 1);
  for (size_t i = 0; i < gray.pixels.size(); ++i) gray.pixels[i] = image.pixels[3 * i];
  return gray;
}

}  // namespace

Image image_from_rgba(std::span<const uint8_t> pixels, int height, int width, AlphaKind alpha) {
  auto image = blank_image(height, width, 3);
  bool gray = true;
  for (size_t i = 0; i < image.pixels.size() / 3; ++i) {
    const auto color = over_white(pixels.data() + 4 * i, alpha);
    gray = gray && color[0] == color[1] && color[1] == color[2];
    std::copy(color.begin(), color.end(), image.pixels.begin() + static_cast<ptrdiff_t>(3 * i));
  }
  return gray ? first_channel(image) : image;
}

}  // namespace projnce
