#pragma once

#include "projnce/kernel/conv/input_transform.h"
#include "projnce/kernel/conv/loop_args.h"
#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Winograd's F(4x4, 3x3) (Lavin and Gray 2016) with the points 0, 1, -1, 2, -2 and infinity: 4 x 4
/// outputs are computed from 6 x 6 inputs with 36 products instead of 144. These are the
/// one-dimensional transforms; `i(k)` returns input k and `o(k, v)` stores output k.
template <class V>
struct Winograd {
  /// Six inputs to six coefficients.
  template <class In, class Out>
  static PROJNCE_INLINE void input(const In& i, const Out& o) {
    const V x1 = i(1), x2 = i(2), x3 = i(3), x4 = i(4);
    o(0, 4 * i(0) - 5 * x2 + x4);
    const V even = x4 - 4 * x2, odd = x3 - 4 * x1;
    o(1, even + odd);
    o(2, even - odd);
    const V even2 = x4 - x2, odd2 = 2 * (x3 - x1);
    o(3, even2 + odd2);
    o(4, even2 - odd2);
    o(5, 4 * x1 - 5 * x3 + i(5));
  }
  /// Six products to four outputs.
  template <class In, class Out>
  static PROJNCE_INLINE void output(const In& i, const Out& o) {
    const V m1 = i(1), m2 = i(2), m3 = i(3), m4 = i(4);
    const V even = m1 + m2, odd = m1 - m2, even2 = m3 + m4, odd2 = m3 - m4;
    o(0, i(0) + even + even2);
    o(1, odd + 2 * odd2);
    o(2, even + 4 * even2);
    o(3, odd + 8 * odd2 + i(5));
  }
  /// Four output gradients to six coefficients: the transpose of `output`.
  template <class In, class Out>
  static PROJNCE_INLINE void gradient(const In& i, const Out& o) {
    const V x0 = i(0), x1 = i(1), x2 = i(2), x3 = i(3);
    const V even = x0 + x2, odd = x1 + x3;
    o(0, x0);
    o(1, even + odd);
    o(2, even - odd);
    const V even2 = x0 + 4 * x2, odd2 = 2 * x1 + 8 * x3;
    o(3, even2 + odd2);
    o(4, even2 - odd2);
    o(5, x3);
  }
  /// Three weights to six coefficients.
  template <class In, class Out>
  static PROJNCE_INLINE void weights(const In& i, const Out& o) {
    using T = decltype(V{}[0] + 0);
    const V a = i(0), b = i(1), c = i(2);
    o(0, a * T(0.25));
    const V sum = (a + c) * T(-1.0 / 6), middle = b * T(1.0 / 6);
    o(1, sum - middle);
    o(2, sum + middle);
    const V sum2 = a * T(1.0 / 24) + c * T(1.0 / 6), middle2 = b * T(1.0 / 12);
    o(3, sum2 + middle2);
    o(4, sum2 - middle2);
    o(5, c);
  }
  /// Six sums of products to three weight gradients: the transpose of `weights`.
  template <class In, class Out>
  static PROJNCE_INLINE void weight_gradient(const In& i, const Out& o) {
    using T = decltype(V{}[0] + 0);
    const V m1 = i(1), m2 = i(2), m3 = i(3), m4 = i(4);
    const V even = (m1 + m2) * T(-1.0 / 6), even2 = m3 + m4;
    o(0, i(0) * T(0.25) + even + even2 * T(1.0 / 24));
    o(1, (m2 - m1) * T(1.0 / 6) + (m3 - m4) * T(1.0 / 12));
    o(2, even + even2 * T(1.0 / 6) + i(5));
  }
};

/// 6 x 6 inputs of one tile to 36 coefficients, for the channels of a block.
template <class Arch, class T>
PROJNCE_INLINE void input_tile(const T* from, int64_t row_stride, T* to, int64_t factor_stride) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t lane = 0; lane < kChannelBlock; lane += S::kWidth) {
    V t[kWinogradIn][kWinogradIn];
#pragma GCC unroll 6
    for (int x = 0; x < kWinogradIn; ++x) {
      Winograd<V>::input(
          [&](int y) { return S::load(from + y * row_stride + x * kChannelBlock + lane); },
          [&](int y, V v) { t[y][x] = v; });
    }
#pragma GCC unroll 6
    for (int y = 0; y < kWinogradIn; ++y) {
      Winograd<V>::input(
          [&](int x) { return t[y][x]; },
          [&](int x, V v) { S::store(to + (y * kWinogradIn + x) * factor_stride + lane, v); });
    }
  }
}

/// Transforms all tiles of a block of an image, from its padded feature map.
template <class Arch, class T>
void winograd_input(const WinogradTiles<T>& tiles, T* to) {
  for (int64_t y = 0; y < tiles.rows; ++y) {
    const T* from = tiles.padded + y * kWinogradOut * tiles.row_stride;
    for (int64_t x = 0; x < tiles.columns; ++x, to += tiles.tile_stride) {
      input_tile<Arch, T>(from + x * kWinogradOut * kChannelBlock, tiles.row_stride, to,
                          tiles.factor_stride);
    }
  }
}

/// 4 x 4 output gradients of one tile to 36 coefficients.
template <class Arch, class T>
PROJNCE_INLINE void gradient_tile(const T* from, int64_t row_stride, T* to, int64_t factor_stride) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t lane = 0; lane < kChannelBlock; lane += S::kWidth) {
    V t[kWinogradIn][kWinogradOut];
#pragma GCC unroll 4
    for (int x = 0; x < kWinogradOut; ++x) {
      Winograd<V>::gradient(
          [&](int y) { return S::load(from + y * row_stride + x * kChannelBlock + lane); },
          [&](int y, V v) { t[y][x] = v; });
    }
#pragma GCC unroll 6
    for (int y = 0; y < kWinogradIn; ++y) {
      Winograd<V>::gradient(
          [&](int x) { return t[y][x]; },
          [&](int x, V v) { S::store(to + (y * kWinogradIn + x) * factor_stride + lane, v); });
    }
  }
}

template <class Arch, class T>
void winograd_gradient(const WinogradTiles<T>& tiles, T* to) {
  for (int64_t y = 0; y < tiles.rows; ++y) {
    // The border is one pixel wide.
    const T* from = tiles.padded + (y * kWinogradOut + 1) * tiles.row_stride + kChannelBlock;
    for (int64_t x = 0; x < tiles.columns; ++x, to += tiles.tile_stride) {
      gradient_tile<Arch, T>(from + x * kWinogradOut * kChannelBlock, tiles.row_stride, to,
                             tiles.factor_stride);
    }
  }
}

/// 36 sums of products of one tile to its outputs; `rows` x `columns` of the 4 x 4 lie in the map.
template <class Arch, class T>
PROJNCE_INLINE void output_tile(const T* from, int64_t factor_stride, T* to, int64_t row_stride,
                                int64_t rows, int64_t columns) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t lane = 0; lane < kChannelBlock; lane += S::kWidth) {
    V t[kWinogradOut][kWinogradIn];
#pragma GCC unroll 6
    for (int x = 0; x < kWinogradIn; ++x) {
      Winograd<V>::output(
          [&](int y) { return S::load(from + (y * kWinogradIn + x) * factor_stride + lane); },
          [&](int y, V v) { t[y][x] = v; });
    }
#pragma GCC unroll 4
    for (int y = 0; y < kWinogradOut; ++y) {
      if (y >= rows) break;
      Winograd<V>::output([&](int x) { return t[y][x]; },
                          [&](int x, V v) {
                            if (x < columns) {
                              S::store(to + y * row_stride + x * kChannelBlock + lane, v);
                            }
                          });
    }
  }
}

/// Transforms one row of tiles back to the map rows that they cover.
template <class Arch, class T>
void winograd_output(const WinogradOutputRow<T>& row) {
  for (int64_t x = 0; x < row.columns; ++x) {
    output_tile<Arch, T>(row.from + x * kChannelBlock, row.factor_stride,
                         row.to + x * kWinogradOut * kChannelBlock, row.width * kChannelBlock,
                         row.height, row.width - x * kWinogradOut);
  }
}

/// Nine weights to 36 coefficients, for `rows` x 16 pairs of channels: from[tap][row][16].
template <class Arch, class T>
void winograd_weights(const T* from, int64_t rows, T* to, int64_t factor_stride) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  const int64_t tap_stride = rows * kChannelBlock;
  for (int64_t at = 0; at < tap_stride; at += S::kWidth) {
    V t[kWinogradIn][kWinogradTaps];
#pragma GCC unroll 3
    for (int x = 0; x < kWinogradTaps; ++x) {
      Winograd<V>::weights(
          [&](int y) { return S::load(from + (y * kWinogradTaps + x) * tap_stride + at); },
          [&](int y, V v) { t[y][x] = v; });
    }
#pragma GCC unroll 6
    for (int y = 0; y < kWinogradIn; ++y) {
      Winograd<V>::weights(
          [&](int x) { return t[y][x]; },
          [&](int x, V v) { S::store(to + (y * kWinogradIn + x) * factor_stride + at, v); });
    }
  }
}

/// 36 sums of products to nine weight gradients: to[tap][row][16].
template <class Arch, class T>
void winograd_weight_gradient(const T* from, int64_t factor_stride, int64_t rows, T* to) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  const int64_t tap_stride = rows * kChannelBlock;
  for (int64_t at = 0; at < tap_stride; at += S::kWidth) {
    V t[kWinogradTaps][kWinogradIn];
#pragma GCC unroll 6
    for (int x = 0; x < kWinogradIn; ++x) {
      Winograd<V>::weight_gradient(
          [&](int y) { return S::load(from + (y * kWinogradIn + x) * factor_stride + at); },
          [&](int y, V v) { t[y][x] = v; });
    }
#pragma GCC unroll 3
    for (int y = 0; y < kWinogradTaps; ++y) {
      Winograd<V>::weight_gradient(
          [&](int x) { return t[y][x]; },
          [&](int x, V v) { S::store(to + (y * kWinogradTaps + x) * tap_stride + at, v); });
    }
  }
}

}  // namespace projnce::kernel
