#include "projnce/augment/crop.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace projnce::augment {

namespace {

constexpr int kAttempts = 10;

int rounded(double length) {
  return static_cast<int>(std::lround(length));
}

PixelBox centered(int height, int width, int box_height, int box_width) {
  return {(height - box_height) / 2, (width - box_width) / 2, box_height, box_width};
}

PixelBox largest_centered_box(const AugmentOptions& options, int height, int width) {
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
  return largest_centered_box(options, height, width);
}

namespace {

PixelBox union_of(const PixelBox& a, const PixelBox& b) {
  const int top = std::min(a.top, b.top);
  const int left = std::min(a.left, b.left);
  return {top, left, std::max(a.top + a.height, b.top + b.height) - top,
          std::max(a.left + a.width, b.left + b.width) - left};
}

struct PixelRange {
  int first;
  int count;
};

/// Pixels within the filter support of an axis that starts at 0.
PixelRange filter_support(const ResizeAxis& axis) {
  const double ratio = axis.extent / axis.resized;
  const double support = std::max(1.0, ratio);
  const double low = (axis.offset + 0.5) * ratio - support;
  const double high = (axis.offset + axis.count - 0.5) * ratio + support;
  const int first = std::max(0, static_cast<int>(std::floor(low)));
  const int end = static_cast<int>(std::min(axis.extent, std::ceil(high)));
  return {first, end - first};
}

ResizeAxis to_window(ResizeAxis axis, int window_start, int reduction) {
  axis.start = (axis.start - window_start) / reduction;
  axis.extent /= reduction;
  return axis;
}

}  // namespace

DecodeRegion train_region(const AugmentOptions& options, int image_size,
                          std::span<const uint64_t> seeds, int height, int width) {
  DecodeRegion region{{0, 0, height, width}, std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < seeds.size(); ++i) {
    Random random(seeds[i]);
    const auto box = random_crop(options, height, width, random);
    region.box = i == 0 ? box : union_of(region.box, box);
    const double shorter = std::min(box.height, box.width);
    region.reduction = std::min(region.reduction, shorter / image_size);
  }
  return region;
}

DecodeRegion eval_region(int image_size, int height, int width) {
  const int shorter = std::min(height, width);
  const auto rows = filter_support(center_crop_axis(height, shorter, image_size));
  const auto columns = filter_support(center_crop_axis(width, shorter, image_size));
  return {{rows.first, columns.first, rows.count, columns.count},
          static_cast<double>(shorter) / image_size};
}

ResizeAxis center_crop_axis(int length, int shorter, int size) {
  const double exact = static_cast<double>(length) * size / shorter;
  const int resized = std::max(size, static_cast<int>(std::lround(exact)));
  return {0, static_cast<double>(length), resized, (resized - size) / 2, size};
}

ResizeAxis to_window_rows(const Image& image, ResizeAxis axis) {
  return image.window ? to_window(axis, image.window->box.top, image.window->reduction) : axis;
}

ResizeAxis to_window_columns(const Image& image, ResizeAxis axis) {
  return image.window ? to_window(axis, image.window->box.left, image.window->reduction) : axis;
}

}  // namespace projnce::augment
