#pragma once

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Update of a pair's value by one step along the dimension.
struct DotProduct {
  template <class V>
  static PROJNCE_INLINE V step(V sum, V a, V b) {
    return sum + a * b;
  }
};

/// Register tile of kRows x kVectors vectors of pair values: rows of `a` against the columns of one
/// panel, stepping along `depth`. The columns of a panel are adjacent for each step.
template <class Arch, class T, class Step, int kRows>
struct MicroTile {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  static constexpr int kVectors = Arch::kPanelVectors;
  static constexpr int kColumns = kVectors * S::kWidth;

  V value[kRows][kVectors] = {};

  PROJNCE_INLINE void advance(const T* a, int64_t stride, const T* panel, int64_t depth) {
    for (int64_t k = 0; k < depth; ++k, panel += kColumns) {
      V b[kVectors];
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) b[c] = S::load(panel + c * S::kWidth);
#pragma GCC unroll 16
      for (int m = 0; m < kRows; ++m) {
        const V x = S::all(a[m * stride + k]);
#pragma GCC unroll 4
        for (int c = 0; c < kVectors; ++c) value[m][c] = Step::step(value[m][c], x, b[c]);
      }
    }
  }

  PROJNCE_INLINE void store(T* to, int64_t stride) const {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) S::store(to + m * stride + c * S::kWidth, value[m][c]);
    }
  }
};

/// Computes the values of all pairs of `rows` rows of `a` and `panels` panels, and writes them to
/// `out` (stride `out_stride`, whole panels). Not inlined: a larger function would spill registers.
template <class Arch, class T, class Step>
__attribute__((noinline)) void pair_tile(const T* a, int64_t stride, int64_t rows, const T* panel,
                                         int64_t panels, int64_t depth, T* out,
                                         int64_t out_stride) {
  constexpr int kColumns = Arch::kPanelVectors * Simd<Arch, T>::kWidth;
  for (int64_t p = 0; p < panels; ++p, panel += depth * kColumns, out += kColumns) {
    const T* from = a;
    T* to = out;
    int64_t left = rows;
    for (; left >= Arch::kTileRows; left -= Arch::kTileRows) {
      MicroTile<Arch, T, Step, Arch::kTileRows> tile;
      tile.advance(from, stride, panel, depth);
      tile.store(to, out_stride);
      from += Arch::kTileRows * stride;
      to += Arch::kTileRows * out_stride;
    }
    for (; left > 0; --left, from += stride, to += out_stride) {
      MicroTile<Arch, T, Step, 1> tile;
      tile.advance(from, stride, panel, depth);
      tile.store(to, out_stride);
    }
  }
}

/// out[r, 0 .. columns) += sum_k weight(r, k) * panel[k, 0 .. columns), with the accumulators in
/// registers. weight(r, k) = w[r * row_step + k * depth_step]: a matrix or its transpose.
template <class Arch, class T, int kRows>
PROJNCE_INLINE void add_product_rows(const T* w, int64_t row_step, int64_t depth_step,
                                     const T* panel, int64_t depth, T* out, int64_t out_stride) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  constexpr int kVectors = Arch::kPanelVectors;
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
    for (int c = 0; c < kVectors; ++c) sum[m][c] = S::load(out + m * out_stride + c * S::kWidth);
  }
  for (int64_t k = 0; k < depth; ++k, panel += kVectors * S::kWidth) {
    V b[kVectors];
#pragma GCC unroll 4
    for (int c = 0; c < kVectors; ++c) b[c] = S::load(panel + c * S::kWidth);
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V x = S::all(w[m * row_step + k * depth_step]);
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) sum[m][c] += x * b[c];
    }
  }
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
    for (int c = 0; c < kVectors; ++c) S::store(out + m * out_stride + c * S::kWidth, sum[m][c]);
  }
}

/// out [rows, panels * columns] += weights [rows, depth] times the matrix whose column panels are
/// `panel_stride` elements apart.
template <class Arch, class T>
__attribute__((noinline)) void add_product(const T* w, int64_t row_step, int64_t depth_step,
                                           int64_t rows, const T* panel, int64_t panel_stride,
                                           int64_t panels, int64_t depth, T* out,
                                           int64_t out_stride) {
  constexpr int kColumns = Arch::kPanelVectors * Simd<Arch, T>::kWidth;
  for (int64_t p = 0; p < panels; ++p, panel += panel_stride, out += kColumns) {
    const T* from = w;
    T* to = out;
    int64_t left = rows;
    for (; left >= Arch::kTileRows; left -= Arch::kTileRows) {
      add_product_rows<Arch, T, Arch::kTileRows>(from, row_step, depth_step, panel, depth, to,
                                                 out_stride);
      from += Arch::kTileRows * row_step;
      to += Arch::kTileRows * out_stride;
    }
    for (; left > 0; --left, from += row_step, to += out_stride) {
      add_product_rows<Arch, T, 1>(from, row_step, depth_step, panel, depth, to, out_stride);
    }
  }
}

}  // namespace projnce::kernel
