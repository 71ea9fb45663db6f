#include "projnce/augment/eval_transform.h"

#include <algorithm>

namespace projnce {

void EvalTransform::make_view(const Image& image, float* out) {
  check_image(image);
  const int height = image.full_height();
  const int width = image.full_width();
  const int shorter = std::min(height, width);
  const int size = format().image_size;
  resampler_.resize(image, in_rows_of(image, middle_axis(height, shorter, size)),
                    in_columns_of(image, middle_axis(width, shorter, size)), Mirror::kNo, view_);
  writer_.reduce_channels(view_);
  writer_.write(view_, out);
}

}  // namespace projnce
