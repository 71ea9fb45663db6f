#pragma once

#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Register tile: kRows x kBlocks blocks of sums.
template <class Arch, class T, int kRows, int kBlocks>
struct ProductTile {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  static constexpr int kPerBlock = kChannelBlock / S::kWidth;
  static constexpr int kVectors = kBlocks * kPerBlock;

  V sum[kRows][kVectors] = {};

  /// One step along the depth: `value(m)` of each row times 16 columns of each block.
  template <class Value>
  PROJNCE_INLINE void step(const Value& value, const T* panel, int64_t panel_stride) {
    V b[kVectors];
#pragma GCC unroll 16
    for (int c = 0; c < kVectors; ++c) {
      b[c] = S::load(panel + (c / kPerBlock) * panel_stride + (c % kPerBlock) * S::kWidth);
    }
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
      const V x = S::all(value(m));
#pragma GCC unroll 16
      for (int c = 0; c < kVectors; ++c) sum[m][c] += x * b[c];
    }
  }

  template <class Target>
  PROJNCE_INLINE void store(const Target& target, int64_t block_stride, bool add) {
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) {
#pragma GCC unroll 16
      for (int c = 0; c < kVectors; ++c) {
        T* to = target(m) + (c / kPerBlock) * block_stride + (c % kPerBlock) * S::kWidth;
        S::store(to, add ? S::load(to) + sum[m][c] : sum[m][c]);
      }
    }
  }
};

/// Rows of a tile; half as many for double as for float, because of the register size.
template <class Arch, class T>
inline constexpr int kProductRows = sizeof(T) == 4 || Arch::kProductRows == 1
                                        ? Arch::kProductRows
                                        : Arch::kProductRows / 2;

template <class Arch, class T, int kRows, int kBlocks>
PROJNCE_INLINE void product_rows(const GatheredProduct<T>& p, int64_t row, const T* panel, T* out) {
  ProductTile<Arch, T, kRows, kBlocks> tile;
  const T* base[kRows];
#pragma GCC unroll 16
  for (int m = 0; m < kRows; ++m) base[m] = p.a + p.row_offsets[row + m];
  for (int64_t t = 0; t < p.tap_count; ++t) {
    const T* columns = panel + p.taps[t].panel;
    const T* from[kRows];
#pragma GCC unroll 16
    for (int m = 0; m < kRows; ++m) from[m] = base[m] + p.taps[t].offset;
    for (int64_t k = 0; k < p.depth; ++k, columns += kChannelBlock) {
      tile.step([&](int m) { return from[m][k]; }, columns, p.panel_stride);
    }
  }
  tile.store([&](int m) { return out + p.out_offsets[row + m]; }, p.block_stride, p.add);
}

/// Number of rows of a tile, as a type.
template <int kRows>
struct TileRows {
  static constexpr int kCount = kRows;
};

/// Calls tile(TileRows, row) for all rows: full tiles first, then tiles of 2/3 and 1/3 the height,
/// so that few rows are processed one by one.
template <int kRows, class Tile>
PROJNCE_INLINE void for_tiles(int64_t rows, const Tile& tile) {
  constexpr int kMost = kRows > 2 ? kRows * 2 / 3 : 1;
  constexpr int kSome = kRows > 2 ? kRows / 3 : 1;
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) tile(TileRows<kRows>{}, row);
  for (; row + kMost <= rows; row += kMost) tile(TileRows<kMost>{}, row);
  for (; row + kSome <= rows; row += kSome) tile(TileRows<kSome>{}, row);
  if (kSome > 1) {
    for (; row < rows; ++row) tile(TileRows<1>{}, row);
  }
}

/// Computes all rows for kBlocks blocks of columns. Not inlined: a larger function would spill
/// registers.
template <class Arch, class T, int kBlocks>
__attribute__((noinline)) void product_columns(const GatheredProduct<T>& p, const T* panel,
                                               T* out) {
  for_tiles<kProductRows<Arch, T>>(p.rows, [&](auto rows, int64_t row) {
    product_rows<Arch, T, decltype(rows)::kCount, kBlocks>(p, row, panel, out);
  });
}

template <class Arch, class T, int kRows, int kBlocks>
PROJNCE_INLINE void outer_rows(const GatheredOuter<T>& p, int64_t row, const T* panel, T* out) {
  ProductTile<Arch, T, kRows, kBlocks> tile;
  const T* a = p.a + row;
  for (int64_t k = 0; k < p.depth; ++k, panel += kChannelBlock) {
    const T* from = a + p.depth_offsets[k];
    tile.step([&](int m) { return from[m]; }, panel, p.panel_stride);
  }
  T* to = out + row * kChannelBlock;
  tile.store([&](int m) { return to + m * kChannelBlock; }, p.block_stride, /*add=*/true);
}

template <class Arch, class T, int kBlocks>
__attribute__((noinline)) void outer_columns(const GatheredOuter<T>& p, const T* panel, T* out) {
  for_tiles<kProductRows<Arch, T>>(p.rows, [&](auto rows, int64_t row) {
    outer_rows<Arch, T, decltype(rows)::kCount, kBlocks>(p, row, panel, out);
  });
}

/// Calls `wide` for groups of kProductBlocks column blocks and `one` for the remaining blocks.
template <class Arch, class P, class T, class Wide, class One>
PROJNCE_INLINE void for_blocks(const P& p, const Wide& wide, const One& one) {
  const T* panel = p.panel;
  T* out = p.out;
  int64_t left = p.blocks;
  for (; left >= Arch::kProductBlocks; left -= Arch::kProductBlocks) {
    wide(p, panel, out);
    panel += Arch::kProductBlocks * p.panel_stride;
    out += Arch::kProductBlocks * p.block_stride;
  }
  for (; left > 0; --left, panel += p.panel_stride, out += p.block_stride) one(p, panel, out);
}

template <class Arch, class T>
void gathered_product(const GatheredProduct<T>& p) {
  for_blocks<Arch, GatheredProduct<T>, T>(p, product_columns<Arch, T, Arch::kProductBlocks>,
                                          product_columns<Arch, T, 1>);
}

template <class Arch, class T>
void gathered_outer(const GatheredOuter<T>& p) {
  for_blocks<Arch, GatheredOuter<T>, T>(p, outer_columns<Arch, T, Arch::kProductBlocks>,
                                        outer_columns<Arch, T, 1>);
}

}  // namespace projnce::kernel
