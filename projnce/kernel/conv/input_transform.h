#pragma once

#include <cstdint>

namespace projnce::kernel {

/// Channels per block, on every CPU: a pixel's block of floats is one cache line.
inline constexpr int64_t kChannelBlock = 16;

inline int64_t blocks_of(int64_t channels) {
  return (channels + kChannelBlock - 1) / kChannelBlock;
}

/// Shape of feature maps in blocked layout, [N][blocks][H][W][16]. Padding channels are 0.
struct ActivationShape {
  int64_t images = 0;
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;

  int64_t blocks() const { return blocks_of(channels); }
  int64_t padded_channels() const { return blocks() * kChannelBlock; }
  int64_t pixels() const { return height * width; }
  int64_t block_size() const { return pixels() * kChannelBlock; }
  int64_t image_size() const { return blocks() * block_size(); }
  int64_t size() const { return images * image_size(); }
  /// Returns the offset of a block of an image.
  int64_t at(int64_t image, int64_t block) const {
    return image * image_size() + block * block_size();
  }
};

/// Feature maps that are transformed when they are read:
///
///   value = relu(scale * x + shift + other_scale * other)     with optional relu and other
///
/// This fuses batch-norm, shortcut and ReLU into the convolution that reads their result, and the
/// batch-norm gradient, a combination of two maps, into the backward pass. Factors are per channel.
template <class T>
struct InputTransform {
  const T* x = nullptr;
  const T* scale = nullptr;  ///< null: x unchanged, and the other fields are ignored
  const T* shift = nullptr;
  const T* other = nullptr;  ///< second addend; may be null
  const T* other_scale = nullptr;
  bool relu = false;
  T* keep = nullptr;  ///< if not null, the values are also stored here, in the same layout

  /// Returns the transform for the data at `offset`, which belongs to channel block `block`.
  InputTransform part(int64_t offset, int64_t block) const {
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

/// Destination of the pixels of a block; strides are in elements.
template <class T>
struct BlockTarget {
  T* to;
  int64_t row_stride;
  int64_t pixel_stride;
};

}  // namespace projnce::kernel
