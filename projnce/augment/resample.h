#pragma once

#include <vector>

#include "projnce/augment/float_image.h"
#include "projnce/core/image.h"

namespace projnce {

/// One axis of a resize: `extent` source pixels from `start` are resized to `resized`, of which the
/// `count` from `offset` are wanted.
struct ResizeAxis {
  int start = 0;
  int extent = 0;
  int resized = 0;
  int offset = 0;
  int count = 0;
};

enum class Mirror { kNo, kHorizontal };

/// Resizes a part of a picture straight from bytes to floats in 0..1. The filter is a triangle over
/// half-pixel centres: bilinear when it enlarges; when it shrinks, the triangle grows with the
/// ratio so that fine patterns do not alias (what Pillow's BILINEAR does, without rounding to
/// bytes). Only pixels inside the part are looked at. Keeps its buffers; one per thread.
class Resampler {
 public:
  /// REQUIRES: check_image(source) passed, the axes lie inside it.
  void resize(const Image& source, const ResizeAxis& vertical, const ResizeAxis& horizontal,
              Mirror mirror, FloatImage& out);

 private:
  struct Filter {
    int taps = 0;
    std::vector<int> first;
    std::vector<float> weight;  // count * taps
  };

  static void make_filter(const ResizeAxis& axis, Filter& filter);
  static void make_bilinear(const ResizeAxis& axis, double ratio, Filter& filter);
  static void make_triangle(const ResizeAxis& axis, double ratio, double support, Filter& filter);
  static void mirror_filter(Filter& filter);
  void filter_columns(const Image& source, const ResizeAxis& vertical,
                      const ResizeAxis& horizontal);

  Filter vertical_;
  Filter horizontal_;
  std::vector<float> row_;
  std::vector<float> pixels_;
  FloatImage narrow_;  // source height, target width
};

/// Throws where a picture is empty, has neither one nor three channels, or lacks pixels.
void check_image(const Image& image);

}  // namespace projnce
