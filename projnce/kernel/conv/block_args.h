#pragma once

#include "projnce/kernel/conv/map_shape.h"

namespace projnce {

/// Maps of one block of channels that a gradient meets on its way back through a ReLU.
template <class T>
struct GradientGate {
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

}  // namespace projnce
