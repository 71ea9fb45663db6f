#pragma once

#include <cstdint>

namespace projnce {

/// Max-pooling over square windows.
struct PoolGeometry {
  int64_t window = 2;
  int64_t stride = 2;
  int64_t padding = 0;

  int64_t out_side(int64_t side) const { return (side + 2 * padding - window) / stride + 1; }
};

/// One block of an image and what its windows give: [height][width][16] to [out][out][16].
template <class T>
struct PoolBlock {
  PoolGeometry geometry;
  int64_t height;
  int64_t width;
  const T* values;
  T* out;  ///< the largest of each window
};

}  // namespace projnce
