#pragma once

#include "projnce/kernel/micro_tile.h"
#include "projnce/kernel/smoothing.h"

namespace projnce::kernel {

/// l1 distances.
template <class S>
struct AbsoluteDifference {
  using V = typename S::V;
  static PROJNCE_INLINE V step(V sum, V a, V b) { return sum + S::absolute(a - b); }
};

/// Squared l2 distances, without the cancellation of the dot-product form.
template <class S>
struct SquaredDifference {
  using V = typename S::V;
  static PROJNCE_INLINE V step(V sum, V a, V b) { return sum + (a - b) * (a - b); }
};

/// Micro tile of pairs, stored as T[kRows][kColumns].
template <class Arch, class T>
struct SmoothingTile {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using I = typename S::I;
  static constexpr int kRows = Arch::kTileRows;
  static constexpr int kVectors = Arch::kPanelVectors;
  static constexpr int kColumns = kVectors * S::kWidth;
  static constexpr T kOutside = 2;  // any value above 1

  /// d / h of each pair; kOutside for excluded pairs.
  alignas(64) T scaled[kRows * kColumns];

  void measure(const SmoothingPanel<T>& p, int64_t row, int64_t rows) {
    switch (p.all->metric) {
      case Metric::kL1:
        fill<AbsoluteDifference<S>>(p, row, rows);
        return finish(p, row, rows, [](V sum) { return sum; });
      case Metric::kL2:
        fill<SquaredDifference<S>>(p, row, rows);
        return finish(p, row, rows, [](V squares) { return root(squares); });
      case Metric::kCosine:
        fill<DotProduct>(p, row, rows);
        return finish(p, row, rows, [](V cosine) { return T{0.5} - T{0.5} * cosine; });
    }
  }

 private:
  template <class Step>
  PROJNCE_INLINE void fill(const SmoothingPanel<T>& p, int64_t row, int64_t rows) {
    pair_tile<Arch, T, Step>(p.all->rows + (p.first_row + row) * p.all->stride, p.all->stride, rows,
                             p.panel, 1, p.all->dim, scaled, kColumns);
  }

  static PROJNCE_INLINE V root(V v) {
    V r;
    for (int l = 0; l < S::kWidth; ++l) {
      r[l] = sizeof(T) == 4 ? __builtin_sqrtf(v[l]) : __builtin_sqrt(v[l]);
    }
    return r;
  }

  template <class Distance>
  PROJNCE_INLINE void finish(const SmoothingPanel<T>& p, int64_t row, int64_t rows,
                             const Distance& distance) {
    const V bandwidth = S::all(p.all->bandwidth);
    for (int64_t m = 0; m < rows; ++m) {
      const int64_t first = p.first_row + row + m + 1 - p.first_column;  // first column > row
      for (int c = 0; c < kVectors; ++c) {
        T* at = scaled + m * kColumns + c * S::kWidth;
        const I position = S::count_from(c * S::kWidth);
        const I counts = (position >= lane(first)) & (position < lane(p.columns));
        S::store(at, counts ? distance(S::load(at)) / bandwidth : S::all(kOutside));
      }
    }
  }

  /// Broadcasts a column position, clamped to 0 .. kColumns.
  static PROJNCE_INLINE I lane(int64_t position) {
    const int64_t near = position < 0 ? 0 : position > kColumns ? kColumns : position;
    return S::all_lanes(static_cast<typename S::Lane>(near));
  }
};

/// Returns true if the dot products of a micro tile show that all pairs are outside the support.
/// NaN is never outside.
template <class Arch, class T>
__attribute__((noinline)) bool is_outside(const T* rows, int64_t stride, const T* panel,
                                          int64_t dim, const T* row_reach, const T* column_reach) {
  using S = Simd<Arch, T>;
  MicroTile<Arch, T, DotProduct, Arch::kTileRows> dots;
  dots.advance(rows, stride, panel, dim);
  typename S::I outside = S::all_lanes(-1);
#pragma GCC unroll 16
  for (int m = 0; m < Arch::kTileRows; ++m) {
#pragma GCC unroll 4
    for (int c = 0; c < Arch::kPanelVectors; ++c) {
      outside &= dots.value[m][c] < row_reach[m] + S::load(column_reach + c * S::kWidth);
    }
  }
  return !S::any(~outside);
}

/// Calls consume(row, rows, tile) for every micro tile of the panel that may have a pair inside the
/// support. The test costs a third of the distances, so it is disabled if it rejects nothing.
template <class Arch, class T, class Consume>
void for_each_near_tile(const SmoothingPanel<T>& p, const Consume& consume) {
  constexpr int64_t kRows = Arch::kTileRows;
  constexpr int kTrials = 4;
  const auto& all = *p.all;
  SmoothingTile<Arch, T> tile;
  bool test = all.reach != nullptr;
  int kept = 0;
  // Rows from the last column on have no column > row.
  const int64_t above = p.first_column + p.columns - 1 - p.first_row;
  const int64_t end = above < p.row_count ? above : p.row_count;
  for (int64_t row = 0; row < end; row += kRows) {
    const int64_t rows = end - row < kRows ? end - row : kRows;
    const int64_t at = p.first_row + row;
    if (test && rows == kRows) {
      if (is_outside<Arch, T>(all.rows + at * all.stride, all.stride, p.panel, all.dim,
                              all.reach + at, all.reach + p.first_column)) {
        kept = 0;
        continue;
      }
      test = ++kept < kTrials;
    }
    tile.measure(p, row, rows);
    consume(row, rows, tile);
  }
}

}  // namespace projnce::kernel
