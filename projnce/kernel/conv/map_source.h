#pragma once

#include "projnce/kernel/conv/map_shape.h"

namespace projnce {

/// Maps that are made while they are read:
///
///   value = relu(scale * x + shift + other_scale * other)     relu and other where asked for
///
/// So a convolution reads what batch-norm, shortcut and ReLU make of maps that nobody stores, and
/// its backward reads the gradient that batch-norm makes of two maps. Factors are of each channel.
template <class T>
struct MapSource {
  const T* x = nullptr;
  const T* scale = nullptr;  ///< null: x as it is, and nothing else applies
  const T* shift = nullptr;
  const T* other = nullptr;  ///< null: nothing is added
  const T* other_scale = nullptr;
  bool relu = false;
  T* keep = nullptr;  ///< where values are stored as well, in the same layout; or null

  /// The same for what begins `offset` numbers further, of a block of channels.
  MapSource part(int64_t offset, int64_t block) const {
    const int64_t channel = block * kChannelBlock;
    const auto move = [](auto* pointer, int64_t by) { return pointer ? pointer + by : nullptr; };
    return {.x = x + offset,
            .scale = move(scale, channel),
            .shift = move(shift, channel),
            .other = move(other, offset),
            .other_scale = move(other_scale, channel),
            .relu = relu,
            .keep = move(keep, offset)};
  }
};

/// Where the pixels of a block go: `row_stride` and `pixel_stride` numbers apart.
template <class T>
struct BlockTarget {
  T* to;
  int64_t row_stride;
  int64_t pixel_stride;
};

}  // namespace projnce
