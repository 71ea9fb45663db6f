#pragma once

#include <cstdint>

namespace projnce {

inline constexpr int kWinogradOut = 4;                                // outputs along a side
inline constexpr int kWinogradTaps = 3;                               // weights along a side
inline constexpr int kWinogradIn = kWinogradOut + kWinogradTaps - 1;  // inputs along a side
inline constexpr int kWinogradFactors = kWinogradIn * kWinogradIn;

/// Tiles of one block of an image: where its map with a border lies and how far apart factors and
/// tiles are written.
template <class T>
struct WinogradTiles {
  const T* padded;
  int64_t row_stride;
  int64_t rows;
  int64_t columns;
  int64_t tile_stride;
  int64_t factor_stride;
};

/// A row of tiles on its way back into a map of `width` pixels, `height` of whose rows (up to 4) it
/// covers.
template <class T>
struct WinogradOutputRow {
  const T* from;
  int64_t factor_stride;
  int64_t columns;
  T* to;
  int64_t width;
  int64_t height;
};

}  // namespace projnce
