#pragma once

#include <cstdint>

namespace projnce::kernel {

/// Channels stand in blocks of this many, whatever the processor: a pixel's block of floats is one
/// cache line.
inline constexpr int64_t kChannelBlock = 16;

inline int64_t blocks_of(int64_t channels) {
  return (channels + kChannelBlock - 1) / kChannelBlock;
}

/// Maps of a batch in blocked layout, [N][blocks][H][W][16]. Channels beyond the last are 0.
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
  /// Where a block of an image begins.
  int64_t at(int64_t image, int64_t block) const {
    return image * image_size() + block * block_size();
  }
};

/// Maps that are made while they are read:
///
///   value = relu(scale * x + shift + other_scale * other)     relu and other where asked for
///
/// So a convolution reads what batch-norm, shortcut and ReLU make of maps that nobody stores, and
/// its backward reads the gradient that batch-norm makes of two maps. Factors are of each channel.
template <class T>
struct InputTransform {
  const T* x = nullptr;
  const T* scale = nullptr;  ///< null: x as it is, and nothing else applies
  const T* shift = nullptr;
  const T* other = nullptr;  ///< null: nothing is added
  const T* other_scale = nullptr;
  bool relu = false;
  T* keep = nullptr;  ///< where values are stored as well, in the same layout; or null

  /// The same for what begins `offset` numbers further, of a block of channels.
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

/// Where the pixels of a block go: `row_stride` and `pixel_stride` numbers apart.
template <class T>
struct BlockTarget {
  T* to;
  int64_t row_stride;
  int64_t pixel_stride;
};

}  // namespace projnce::kernel
