#include "projnce/augment/crop.h"

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

constexpr int kAttempts = 10;

int rounded(double length) {
  return static_cast<int>(std::lround(length));
}

PixelBox centered(int height, int width, int box_height, int box_width) {
  return {(height - box_height) / 2, (width - box_width) / 2, box_height, box_width};
}

PixelBox largest_allowed(const AugmentOptions& options, int height, int width) {
  const double aspect = static_cast<double>(width) / height;
  if (aspect < options.crop_aspect_min) {
    const int box_height = std::clamp(rounded(width / options.crop_aspect_min), 1, height);
    return centered(height, width, box_height, width);
  }
  if (aspect > options.crop_aspect_max) {
    const int box_width = std::clamp(rounded(height * options.crop_aspect_max), 1, width);
    return centered(height, width, height, box_width);
  }
  return {0, 0, height, width};
}

}  // namespace

PixelBox random_crop(const AugmentOptions& options, int height, int width, Random& random) {
  const double area = static_cast<double>(height) * width;
  const double log_min = std::log(options.crop_aspect_min);
  const double log_max = std::log(options.crop_aspect_max);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double target = area * random.uniform(options.crop_scale_min, options.crop_scale_max);
    const double aspect = std::exp(random.uniform(log_min, log_max));
    const int box_width = rounded(std::sqrt(target * aspect));
    const int box_height = rounded(std::sqrt(target / aspect));
    if (box_width < 1 || box_width > width || box_height < 1 || box_height > height) continue;
    const auto top = static_cast<int>(random.below(height - box_height + 1));
    const auto left = static_cast<int>(random.below(width - box_width + 1));
    return {top, left, box_height, box_width};
  }
  return largest_allowed(options, height, width);
}

}  // namespace projnce
