#pragma once

#include <cstdint>
#include <span>

#include "projnce/augment/augment_options.h"
#include "projnce/augment/float_image.h"
#include "projnce/augment/picture_part.h"
#include "projnce/augment/resample.h"
#include "projnce/augment/view_format.h"
#include "projnce/core/image.h"
#include "projnce/core/seed.h"

namespace projnce {

/// Makes random views of training pictures: random resized crop, flip, colour jitter, grayscale,
/// standardisation. Keeps its buffers between calls, so each thread has one of its own.
///
/// A view is a function of the picture and its seed alone. The draws come in this order, whether
/// or not their outcome matters for the picture (grey ones skip saturation, hue and grayscale):
///   1. the crop (see random_crop)        2. flip or not
///   3. jitter or not; if so: brightness, contrast, saturation and hue factors, then three draws
///      that shuffle the four operations  4. grayscale or not
class TrainTransform {
 public:
  TrainTransform(const AugmentOptions& options, const ViewFormat& format);

  /// What the views with these seeds look at in a picture of this size; see train_need.
  PictureNeed need(std::span<const uint64_t> seeds, int height, int width) const {
    return train_need(options_, format().image_size, seeds, height, width);
  }

  /// Writes one view. `image` may be the part that `need` asks for. REQUIRES: `out` has room
  /// for format().values().
  void make_view(const Image& image, uint64_t seed, float* out);

  const ViewFormat& format() const { return writer_.format(); }

 private:
  void crop(const Image& image, Random& random);
  void jitter(Random& random);

  AugmentOptions options_;
  ViewWriter writer_;
  Resampler resampler_;
  FloatImage view_;
};

/// The seed of one view: the same whichever thread makes it, and different for each epoch, sample
/// and view.
constexpr uint64_t view_seed(uint64_t seed, int64_t epoch, int64_t index, int64_t view) {
  return derive_seed(derive_seed(seed, static_cast<uint64_t>(epoch)), static_cast<uint64_t>(index),
                     static_cast<uint64_t>(view));
}

}  // namespace projnce
