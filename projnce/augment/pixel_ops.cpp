#include "projnce/augment/pixel_ops.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "projnce/augment/pixel_loops.h"
#include "projnce/core/names.h"

namespace projnce::augment {

namespace {

struct PixelOp {
  const char* name;
  void (*apply)(FloatImage& image, double factor);
};

constexpr std::array kPixelOps = {
    PixelOp{"brightness", adjust_brightness},
    PixelOp{"contrast", adjust_contrast},
    PixelOp{"grayscale", [](FloatImage& image, double /*factor*/) { make_grayscale(image); }},
    PixelOp{"hue", shift_hue},
    PixelOp{"saturation", adjust_saturation},
};

bool has_color(const FloatImage& image) {
  return image.channels() == 3;
}

ColorPlanes color_planes(FloatImage& image) {
  return {image.plane(0), image.plane(1), image.plane(2), image.plane_size()};
}

void scale_and_clip_all(FloatImage& image, double factor, double offset) {
  const size_t count = static_cast<size_t>(image.channels()) * image.plane_size();
  scale_and_clip(image.plane(0), count, static_cast<float>(factor), static_cast<float>(offset));
}

}  // namespace

void make_grayscale(FloatImage& image) {
  if (!has_color(image)) return;
  const float* gray = image.plane(0);
  mix_gray(color_planes(image), image.plane(0));
  std::copy_n(gray, image.plane_size(), image.plane(1));
  std::copy_n(gray, image.plane_size(), image.plane(2));
}

void reduce_to_gray(FloatImage& image) {
  if (!has_color(image)) return;
  mix_gray(color_planes(image), image.plane(0));
  image.drop_color();
}

void adjust_brightness(FloatImage& image, double factor) {
  scale_and_clip_all(image, factor, 0);
}

void adjust_contrast(FloatImage& image, double factor) {
  const double mean = has_color(image) ? mean_gray(color_planes(image))
                                       : mean_value(image.plane(0), image.plane_size());
  scale_and_clip_all(image, factor, (1 - factor) * mean);
}

void adjust_saturation(FloatImage& image, double factor) {
  if (has_color(image)) blend_with_gray(color_planes(image), static_cast<float>(factor));
}

void shift_hue(FloatImage& image, double turns) {
  if (!has_color(image)) return;
  // Rounding to float may give 1.0 for a tiny negative value, but rotate_hue requires less than 1.
  const auto fraction = static_cast<float>(turns - std::floor(turns));
  rotate_hue(color_planes(image), fraction < 1 ? fraction : 0);
}

std::vector<std::string> pixel_op_names() {
  std::vector<std::string> names;
  for (const auto& op : kPixelOps) names.emplace_back(op.name);
  return names;
}

void apply_pixel_op(const std::string& name, double factor, FloatImage& image) {
  for (const auto& op : kPixelOps) {
    if (name == op.name) return op.apply(image, factor);
  }
  fail_unknown("pixel operation", name, pixel_op_names());
}

}  // namespace projnce::augment
