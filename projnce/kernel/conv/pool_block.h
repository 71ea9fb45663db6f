#pragma once

#include <algorithm>

#include "projnce/kernel/conv/block_loops.h"
#include "projnce/kernel/conv/loop_args.h"

namespace projnce::kernel {

/// The part of a window inside the map: rows or columns first .. end - 1.
struct PoolSpan {
  int64_t first;
  int64_t end;
};

PROJNCE_INLINE PoolSpan pool_span(const PoolGeometry& geometry, int64_t index, int64_t side) {
  const int64_t first = index * geometry.stride - geometry.padding;
  const int64_t end = first + geometry.window;
  return {first < 0 ? 0 : first, end > side ? side : end};
}

/// Calls visit(offset) for the pixels of a window, row by row; offsets are in elements.
template <class Visit>
PROJNCE_INLINE void for_window(const PoolSpan& rows, const PoolSpan& columns, int64_t width,
                               const Visit& visit) {
  for (int64_t y = rows.first; y < rows.end; ++y) {
    for (int64_t x = columns.first; x < columns.end; ++x) visit((y * width + x) * kChannelBlock);
  }
}

/// Maximum of every window; propagates NaN, like LibTorch.
template <class Arch, class T>
void max_pool(const PoolBlock<T>& pool) {
  using B = BlockVectors<Arch, T>;
  T* out = pool.out;
  const int64_t width = pool.geometry.out_side(pool.width);
  for (int64_t y = 0; y < pool.geometry.out_side(pool.height); ++y) {
    const PoolSpan rows = pool_span(pool.geometry, y, pool.height);
    for (int64_t x = 0; x < width; ++x, out += kChannelBlock) {
      const PoolSpan columns = pool_span(pool.geometry, x, pool.width);
      B most = B::load(pool.values + (rows.first * pool.width + columns.first) * kChannelBlock);
      for_window(rows, columns, pool.width, [&](int64_t place) {
        const B v = B::load(pool.values + place);
#pragma GCC unroll 8
        for (int k = 0; k < B::kCount; ++k) {
          const auto take = (v.part[k] > most.part[k]) | (v.part[k] != v.part[k]);
          most.part[k] = take ? v.part[k] : most.part[k];
        }
      });
      most.store(out);
    }
  }
}

/// Adds each window's gradient to gradient [height][width][16] at the first position of its
/// maximum. `pool.out` is the result of max_pool.
template <class Arch, class T>
void add_pool_gradient(const PoolBlock<T>& pool, const T* out_gradient, T* gradient) {
  using B = BlockVectors<Arch, T>;
  using S = Simd<Arch, T>;
  const T* out = pool.out;
  const int64_t width = pool.geometry.out_side(pool.width);
  for (int64_t y = 0; y < pool.geometry.out_side(pool.height); ++y) {
    const PoolSpan rows = pool_span(pool.geometry, y, pool.height);
    for (int64_t x = 0; x < width; ++x, out += kChannelBlock, out_gradient += kChannelBlock) {
      const PoolSpan columns = pool_span(pool.geometry, x, pool.width);
      const B most = B::load(out);
      const B g = B::load(out_gradient);
      typename S::I open[B::kCount];
#pragma GCC unroll 8
      for (int k = 0; k < B::kCount; ++k) open[k] = S::all_lanes(-1);
      for_window(rows, columns, pool.width, [&](int64_t place) {
        const B v = B::load(pool.values + place);
        B to = B::load(gradient + place);
#pragma GCC unroll 8
        for (int k = 0; k < B::kCount; ++k) {
          const auto here = (v.part[k] == most.part[k]) & open[k];
          to.part[k] += S::keep(here, g.part[k]);
          open[k] &= ~here;
        }
        to.store(gradient + place);
      });
    }
  }
}

}  // namespace projnce::kernel
