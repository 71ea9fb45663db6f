#pragma once

#include <cstdint>

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Columns of a panel of codes: that many bytes stand side by side for each coordinate.
constexpr int64_t kCodeColumns = 64;
/// Rows that filter_by_quantized_distance takes at once.
constexpr int64_t kCodeRows = 4;

/// Largest differences between the codes of kCodeRows rows and those of one panel, in registers.
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

  /// Takes the next `steps` coordinates in, those that `order` names.
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

  /// Whether a pair may still be as close as the limit of its row or that of its column.
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

  /// The differences, and which of them are near as bytes of ones.
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

/// max_k |a_k - b_k| of codes: kCodeRows rows, `stride` bytes apart, against the columns of one
/// panel. Gives up and returns false as soon as no pair is within row_limit of its row or
/// column_limit of its column; else true, `differences` [kCodeRows, kCodeColumns] holds all of
/// them, and `near` likewise 255 where a pair is within a limit, 0 where it is not. `order` lists
/// the `depth` coordinates, the most telling first.
template <class Arch>
__attribute__((noinline)) bool filter_by_quantized_distance(
    const uint8_t* rows, int64_t stride, const uint8_t* panel, const int32_t* order, int64_t depth,
    const uint8_t* row_limit, const uint8_t* column_limit, uint8_t* differences, uint8_t* near) {
  constexpr int64_t kSteps = 8;  // coordinates between two looks whether all pairs are far
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

/// max_k |a_k - b_k|, or, where that is not below `enough`, any number that is not either.
template <class Arch, class T>
T largest_difference(const T* a, const T* b, int64_t dim, T enough) {
  using S = Simd<Arch, T>;
  constexpr int kChains = 4;  // of comparisons that do not wait for each other
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
