#pragma once

#include "projnce/kernel/simd.h"

namespace projnce {

/// Distances in the max norm of kRows rows to the columns of one panel, in registers.
template <class Arch, class T, int kRows>
struct NearTile {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using I = typename S::I;
  static constexpr int kVectors = Arch::kPanelVectors;
  static constexpr int kColumns = kVectors * S::kWidth;

  V most[kRows][kVectors] = {};

  /// Takes the next `steps` coordinates in, those that `order` names.
  PROJNCE_INLINE void advance(const T* a, int64_t stride, const T* panel, const int32_t* order,
                              int64_t steps) {
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t k = order[step];
      V b[kVectors];
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) b[c] = S::load(panel + k * kColumns + c * S::kWidth);
#pragma GCC unroll 16
      for (int m = 0; m < kRows; ++m) {
        const V x = S::all(a[m * stride + k]);
#pragma GCC unroll 4
        for (int c = 0; c < kVectors; ++c) {
          most[m][c] = S::larger(most[m][c], S::absolute(x - b[c]));
        }
      }
    }
  }

  /// Whether a pair is still closer than the limit of its row or that of its column.
  PROJNCE_INLINE bool any_near(const T* row_limit, const T* column_limit) const {
    I near = {};
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V limit = S::all(row_limit[m]);
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) {
        near |= most[m][c] < S::larger(S::load(column_limit + c * S::kWidth), limit);
      }
    }
    return S::any(near);
  }

  PROJNCE_INLINE void store(T* to) const {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) S::store(to + m * kColumns + c * S::kWidth, most[m][c]);
    }
  }
};

template <class Arch, class T, int kRows>
PROJNCE_INLINE bool near_rows(const T* a, int64_t stride, const T* panel, const int32_t* order,
                              int64_t depth, const T* row_limit, const T* column_limit, T* out) {
  constexpr int64_t kSteps = 8;  // coordinates between two looks whether all pairs are far
  NearTile<Arch, T, kRows> tile;
  for (; depth > kSteps; depth -= kSteps, order += kSteps) {
    tile.advance(a, stride, panel, order, kSteps);
    if (!tile.any_near(row_limit, column_limit)) return false;
  }
  tile.advance(a, stride, panel, order, depth);
  if (!tile.any_near(row_limit, column_limit)) return false;
  tile.store(out);
  return true;
}

/// Distances in the max norm, max_k |a_k - b_k|, of up to near_rows rows of `a` to the columns of
/// one panel. Gives up and returns false as soon as no pair is closer than row_limit of its row or
/// column_limit of its column; else true, and `out` [rows, panel_columns] holds all of them.
/// `order` lists the `depth` coordinates, the most telling first.
template <class Arch, class T>
__attribute__((noinline)) bool near_tile(const T* a, int64_t stride, int64_t rows, const T* panel,
                                         const int32_t* order, int64_t depth, const T* row_limit,
                                         const T* column_limit, T* out) {
  constexpr int64_t kColumns = Arch::kPanelVectors * Simd<Arch, T>::kWidth;
  if (rows == Arch::kTileRows) {
    return near_rows<Arch, T, Arch::kTileRows>(a, stride, panel, order, depth, row_limit,
                                               column_limit, out);
  }
  bool any = false;
  for (int64_t m = 0; m < rows; ++m, a += stride, out += kColumns) {
    if (near_rows<Arch, T, 1>(a, stride, panel, order, depth, row_limit + m, column_limit, out)) {
      any = true;
    } else {
      for (int64_t c = 0; c < kColumns; ++c) out[c] = std::numeric_limits<T>::infinity();
    }
  }
  return any;
}

}  // namespace projnce
