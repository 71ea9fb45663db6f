#pragma once

#include <cstdint>

namespace projnce {

/// Channels stand in blocks of this many, whatever the processor: a pixel's block of floats is one
/// cache line.
inline constexpr int64_t kChannelBlock = 16;

inline int64_t blocks_of(int64_t channels) {
  return (channels + kChannelBlock - 1) / kChannelBlock;
}

/// Maps of a batch in blocked layout, [N][blocks][H][W][16]. Channels beyond the last are 0.
struct MapShape {
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

}  // namespace projnce
