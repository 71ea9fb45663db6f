#pragma once

#include "projnce/augment/float_image.h"
#include "projnce/augment/picture_part.h"
#include "projnce/augment/resample.h"
#include "projnce/augment/view_format.h"
#include "projnce/core/image.h"

namespace projnce {

/// What a picture looks like when nothing is random: the shorter side resized to the model's size,
/// the centre cropped, standardised. A picture of that size already keeps its pixels. Keeps its
/// buffers between calls, so each thread has one of its own.
class EvalTransform {
 public:
  explicit EvalTransform(const ViewFormat& format) : writer_(format) {}

  /// What a view looks at in a picture of this size; see eval_need.
  PictureNeed need(int height, int width) const {
    return eval_need(format().image_size, height, width);
  }

  /// `image` may be the part that `need` asks for. REQUIRES: `out` has room for
  /// format().values().
  void make_view(const Image& image, float* out);

  const ViewFormat& format() const { return writer_.format(); }

 private:
  ViewWriter writer_;
  Resampler resampler_;
  FloatImage view_;
};

}  // namespace projnce
