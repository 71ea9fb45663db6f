#pragma once

#include <vector>

#include "projnce/augment/pixel_ops.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

/// One axis of a resize: `extent` source pixels from `start` are resized to `resized`, and `count`
/// output pixels from `offset` are computed. Start and extent may be fractional if the source is a
/// reduced image, and may exceed its bounds if it is a part of one.
struct ResizeAxis {
  double start = 0;
  double extent = 0;
  int resized = 0;
  int offset = 0;
  int count = 0;
};

enum class Mirror { kNo, kHorizontal };

/// Resizes a region of an image from bytes to floats in 0..1. The filter is a triangle on
/// half-pixel centers: bilinear for upsampling; for downsampling its support grows with the ratio
/// to prevent aliasing (like Pillow's BILINEAR, without rounding to bytes). Reads only pixels
/// inside the region. Reuses its buffers; use one per thread.
class Resampler {
 public:
  /// Throws if an axis lies outside the source. REQUIRES: check_image(source) passed.
  void resize(const Image& source, const ResizeAxis& vertical, const ResizeAxis& horizontal,
              Mirror mirror, FloatImage& out);

 private:
  /// Filter taps of each output; `first` is relative to `origin`, a source position.
  struct Filter {
    int taps = 0;
    int origin = 0;
    int length = 0;  ///< number of source pixels that are read
    std::vector<int> first;
    std::vector<float> weight;  // count * taps
  };

  static void make_filter(const ResizeAxis& axis, int source_length, Filter& filter);
  static void mirror_filter(Filter& filter);
  void filter_columns(const Image& source);

  Filter vertical_;
  Filter horizontal_;
  std::vector<float> row_;
  std::vector<float> pixels_;
  FloatImage narrow_;  // height of the rows read, width of the result
};

/// Throws if an image is empty, has neither one nor three channels, or lacks pixels.
void check_image(const Image& image);

}  // namespace projnce::augment
