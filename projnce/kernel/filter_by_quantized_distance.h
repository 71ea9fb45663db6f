#pragma once

#include <cstdint>

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Columns of a panel of codes, which are adjacent bytes for each coordinate.
constexpr int64_t kCodeColumns = 64;
/// Rows per call of filter_by_quantized_distance.
constexpr int64_t kCodeRows = 4;

/// Register tile: largest differences between the codes of kCodeRows rows and those of one panel.
template <class Arch>
struct CodeTile {
  static constexpr int kVectors = kCodeColumns / Arch::kBytes;
  typedef uint8_t V __attribute__((vector_size(Arch::kBytes)));
  typedef uint8_t LooseV __attribute__((vector_size(Arch::kBytes), aligned(1), may_alias));
  using Words = typename Simd<Arch, double>::I;

  V most[kCodeRows][kVectors] = {};

  static PROJNCE_INLINE V load(const uint8_t* from) {
    return *reinterpret_cast<const LooseV*>(from);
  }
  static PROJNCE_INLINE V larger(V a, V b) { return a > b ? a : b; }
  static PROJNCE_INLINE V smaller(V a, V b) { return a < b ? a : b; }

  /// Processes the next `steps` coordinates listed in `order`.
  PROJNCE_INLINE void advance(const uint8_t* rows, int64_t stride, const uint8_t* panel,
                              const int32_t* order, int64_t steps) {
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t k = order[step];
      V b[kVectors];
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) b[c] = load(panel + k * kCodeColumns + c * Arch::kBytes);
#pragma GCC unroll 4
      for (int m = 0; m < kCodeRows; ++m) {
        const V a = rows[m * stride + k] - V{};
#pragma GCC unroll 4
        for (int c = 0; c < kVectors; ++c) {
          most[m][c] = larger(most[m][c], larger(a, b[c]) - smaller(a, b[c]));
        }
      }
    }
  }

  /// Returns true if a pair may still be within the limit of its row or its column.
  PROJNCE_INLINE bool any_near(const uint8_t* row_limit, const uint8_t* column_limit) const {
    V near = {};
#pragma GCC unroll 4
    for (int m = 0; m < kCodeRows; ++m) {
      const V limit = row_limit[m] - V{};
#pragma GCC unroll 4
      for (int c = 0; c < kVectors; ++c) {
        near |=
            reinterpret_cast<V>(most[m][c] <= larger(load(column_limit + c * Arch::kBytes), limit));
      }
    }
    return Simd<Arch, double>::any(reinterpret_cast<Words>(near));
  }

  /// Stores the differences, and a byte mask of those within a limit.
  PROJNCE_INLINE void store(const uint8_t* row_limit, const uint8_t* column_limit,
                            uint8_t* differences, uint8_t* near) const {
    for (int m = 0; m < kCodeRows; ++m) {
      for (int c = 0; c < kVectors; ++c) {
        const int at = m * kCodeColumns + c * Arch::kBytes;
        const V limit = larger(load(column_limit + c * Arch::kBytes), row_limit[m] - V{});
        *reinterpret_cast<LooseV*>(differences + at) = most[m][c];
        *reinterpret_cast<LooseV*>(near + at) = reinterpret_cast<V>(most[m][c] <= limit);
      }
    }
  }
};

/// Computes max_k |a_k - b_k| of the codes of kCodeRows rows, `stride` bytes apart, and the columns
/// of one panel. Returns false as soon as no pair is within row_limit of its row or column_limit of
/// its column. Otherwise returns true; `differences` [kCodeRows, kCodeColumns] holds all of them,
/// and `near` is 255 for pairs within a limit and 0 for others. `order` lists the `depth`
/// coordinates, the most discriminative first.
template <class Arch>
__attribute__((noinline)) bool filter_by_quantized_distance(
    const uint8_t* rows, int64_t stride, const uint8_t* panel, const int32_t* order, int64_t depth,
    const uint8_t* row_limit, const uint8_t* column_limit, uint8_t* differences, uint8_t* near) {
  constexpr int64_t kSteps = 8;  // coordinates between two early-exit tests
  CodeTile<Arch> tile;
  for (; depth > kSteps; depth -= kSteps, order += kSteps) {
    tile.advance(rows, stride, panel, order, kSteps);
    if (!tile.any_near(row_limit, column_limit)) return false;
  }
  tile.advance(rows, stride, panel, order, depth);
  if (!tile.any_near(row_limit, column_limit)) return false;
  tile.store(row_limit, column_limit, differences, near);
  return true;
}

/// Returns max_k |a_k - b_k|; if that is >= `enough`, any value >= `enough`.
template <class Arch, class T>
T largest_difference(const T* a, const T* b, int64_t dim, T enough) {
  using S = Simd<Arch, T>;
  constexpr int kChains = 4;  // independent chains of comparisons
  constexpr int64_t kStep = kChains * S::kWidth;
  const auto limit = S::all(enough);
  typename S::V most = {};
  int64_t k = 0;
  for (; k + 2 * kStep <= dim; k += 2 * kStep) {
    typename S::V some[kChains] = {most};
#pragma GCC unroll 8
    for (int u = 0; u < 2 * kChains; ++u) {
      const auto at = k + u * S::kWidth;
      some[u % kChains] =
          S::larger(some[u % kChains], S::absolute(S::load(a + at) - S::load(b + at)));
    }
    most = S::larger(S::larger(some[0], some[1]), S::larger(some[2], some[3]));
    if (S::any(most >= limit)) return enough;
  }
  T result = S::largest(most);
  for (; k < dim; ++k) {
    const T difference = a[k] > b[k] ? a[k] - b[k] : b[k] - a[k];
    result = difference > result ? difference : result;
  }
  return result;
}

}  // namespace projnce::kernel
