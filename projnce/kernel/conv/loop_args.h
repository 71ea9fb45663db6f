#pragma once

#include <cstdint>

#include "projnce/kernel/conv/input_transform.h"

namespace projnce::kernel {

/// Maps of one block of channels that a gradient meets on its way back through a ReLU.
template <class T>
struct ReluBackwardArgs {
  T* gradient;
  const T* added = nullptr;   ///< a second gradient of the same values, or null
  const T* x = nullptr;       ///< what batch-norm was given
  const T* second = nullptr;  ///< what the shortcut's batch-norm was given, or null
  const T* active = nullptr;  ///< the ReLU's values; null: scale * x + shift before it
  const T* scale = nullptr;
  const T* shift = nullptr;
};

/// Rows that lie anywhere times a matrix in panels of 16 columns:
///
///   out[out_offsets[r] + b * block_stride + c] (+)=
///       sum_t sum_k a[row_offsets[r] + taps[t].offset + k] * panel[b * panel_stride +
///       taps[t].panel + 16 k + c]
///
/// for rows r, blocks b of columns, c < 16, k < depth.
template <class T>
struct GatheredProduct {
  struct Tap {
    int32_t offset;
    int32_t panel;
  };
  const T* a;
  const int32_t* row_offsets;
  int64_t rows;
  const Tap* taps;
  int64_t tap_count;
  int64_t depth;
  const T* panel;
  int64_t panel_stride;
  int64_t blocks;
  T* out;
  const int32_t* out_offsets;
  int64_t block_stride;
  bool add;  ///< to what is there; else it is overwritten
};

/// The transpose of such rows times panels, added to what is there:
///
///   out[16 r + b * block_stride + c] += sum_k a[depth_offsets[k] + r] * panel[b * panel_stride +
///   16 k + c]
template <class T>
struct GatheredOuter {
  const T* a;
  const int32_t* depth_offsets;
  int64_t depth;
  int64_t rows;
  const T* panel;
  int64_t panel_stride;
  int64_t blocks;
  T* out;
  int64_t block_stride;
};

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

inline constexpr int kWinogradOut = 4;                                // outputs along a side
inline constexpr int kWinogradTaps = 3;                               // weights along a side
inline constexpr int kWinogradIn = kWinogradOut + kWinogradTaps - 1;  // inputs along a side
inline constexpr int kWinogradFactors = kWinogradIn * kWinogradIn;

/// Tiles of one block of an image: where its map with a border lies and how far apart factors and
/// tiles are written.
template <class T>
struct WinogradTiles {
  const T* padded;
  int64_t row_stride;
  int64_t rows;
  int64_t columns;
  int64_t tile_stride;
  int64_t factor_stride;
};

/// A row of tiles on its way back into a map of `width` pixels, `height` of whose rows (up to 4) it
/// covers.
template <class T>
struct WinogradOutputRow {
  const T* from;
  int64_t factor_stride;
  int64_t columns;
  T* to;
  int64_t width;
  int64_t height;
};

}  // namespace projnce::kernel
