#pragma once

#include <algorithm>
#include <cstdint>

#include "projnce/core/sample.h"
#include "projnce/core/seed.h"

namespace projnce::testing {

inline Image constant_image(int height, int width, int channels, uint8_t value) {
  Image image{height, width, channels, {}};
  image.pixels.assign(static_cast<size_t>(height * width * channels), value);
  return image;
}

/// Random bytes, deterministic for a seed.
inline Image random_image(int height, int width, int channels, uint64_t seed) {
  auto image = constant_image(height, width, channels, 0);
  Random random(seed);
  for (auto& pixel : image.pixels) pixel = static_cast<uint8_t>(random.below(256));
  return image;
}

}  // namespace projnce::testing
