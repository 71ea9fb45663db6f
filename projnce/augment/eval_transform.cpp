#include "projnce/augment/eval_transform.h"

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

/// The middle `size` pixels of a side of `length`, when the shorter side becomes `size`.
ResizeAxis middle(int length, int shorter, int size) {
  const double exact = static_cast<double>(length) * size / shorter;
  const int resized = std::max(size, static_cast<int>(std::lround(exact)));
  return {0, length, resized, (resized - size) / 2, size};
}

}  // namespace

void EvalTransform::make_view(const Image& image, float* out) {
  check_image(image);
  const int shorter = std::min(image.height, image.width);
  const int size = format().image_size;
  resampler_.resize(image, middle(image.height, shorter, size), middle(image.width, shorter, size),
                    Mirror::kNo, view_);
  writer_.reduce_channels(view_);
  writer_.write(view_, out);
}

}  // namespace projnce
