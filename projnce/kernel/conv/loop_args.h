#pragma once

#include <cstdint>

#include "projnce/kernel/conv/input_transform.h"

namespace projnce::kernel {

/// Arguments of relu_backward, for one block of channels.
template <class T>
struct ReluBackwardArgs {
  T* gradient;
  const T* added = nullptr;   ///< second gradient of the same values; may be null
  const T* x = nullptr;       ///< input of the batch-norm
  const T* second = nullptr;  ///< input of the shortcut's batch-norm; may be null
  const T* active = nullptr;  ///< ReLU output; if null, scale * x + shift is the ReLU input
  const T* scale = nullptr;
  const T* shift = nullptr;
};

/// Product of rows at arbitrary offsets and a matrix stored in panels of 16 columns:
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
  bool add;  ///< if true, adds to `out`, otherwise overwrites it
};

/// Product of the transposed rows and panels, added to `out`:
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

/// Pooling of one block of an image: [height][width][16] -> [out][out][16].
template <class T>
struct PoolBlock {
  PoolGeometry geometry;
  int64_t height;
  int64_t width;
  const T* values;
  T* out;  ///< maximum of each window
};

inline constexpr int kWinogradOut = 4;                                // outputs per side
inline constexpr int kWinogradTaps = 3;                               // weights per side
inline constexpr int kWinogradIn = kWinogradOut + kWinogradTaps - 1;  // inputs per side
inline constexpr int kWinogradFactors = kWinogradIn * kWinogradIn;

/// Tiles of one block of an image: the zero-padded map, and the strides of the transformed tiles.
template <class T>
struct WinogradTiles {
  const T* padded;
  int64_t row_stride;
  int64_t rows;
  int64_t columns;
  int64_t tile_stride;
  int64_t factor_stride;
};

/// A row of tiles to transform back into `height` rows (up to 4) of a map of `width` pixels.
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
