#pragma once

#include <vector>

#include "projnce/augment/pixel_ops.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

/// One axis of a resize: `extent` source pixels from `start` are resized to `resized`, of which the
/// `count` from `offset` are wanted. Start and extent may cut pixels where the source is a reduced
/// image, and reach over its ends where it is a part of one.
struct ResizeAxis {
  double start = 0;
  double extent = 0;
  int resized = 0;
  int offset = 0;
  int count = 0;
};

enum class Mirror { kNo, kHorizontal };

/// Resizes a part of an image straight from bytes to floats in 0..1. The filter is a triangle over
/// half-pixel centers: bilinear when it enlarges; when it shrinks, the triangle grows with the
/// ratio so that fine patterns do not alias (what Pillow's BILINEAR does, without rounding to
/// bytes). Only pixels inside the part are looked at. Keeps its buffers; one per thread.
class Resampler {
 public:
  /// Throws where an axis lies outside the source. REQUIRES: check_image(source) passed.
  void resize(const Image& source, const ResizeAxis& vertical, const ResizeAxis& horizontal,
              Mirror mirror, FloatImage& out);

 private:
  /// What each result is the sum of; `first` counts from `origin`, a place in the source.
  struct Filter {
    int taps = 0;
    int origin = 0;
    int length = 0;  ///< source pixels that are looked at
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
  FloatImage narrow_;  // as high as the rows that are looked at, as wide as the result
};

/// Throws where an image is empty, has neither one nor three channels, or lacks pixels.
void check_image(const Image& image);

}  // namespace projnce::augment
