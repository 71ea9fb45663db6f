#pragma once

#include <cstdint>
#include <span>

#include "projnce/core/image.h"

namespace projnce {

/// How a transparent pixel stores its color.
enum class AlphaKind {
  kStraight,       ///< the color itself
  kPremultiplied,  ///< the color times alpha
};

/// The picture of `pixels` (red, green, blue, alpha; row by row, REQUIRES height * width of them)
/// over white: one channel if every pixel is gray, else three.
Image image_from_rgba(std::span<const uint8_t> pixels, int height, int width,
                      AlphaKind alpha = AlphaKind::kStraight);

}  // namespace projnce
