#pragma once

#include <cstdint>

#include "tests/support/data_files.h"

namespace projnce::testing {

/// An uncompressed BMP with 24 bits per pixel (three channels) or 8 with a gray palette (one).
Bytes encode_bmp(const Image& image);
/// A lossless WebP with three or four channels.
Bytes encode_webp(const Image& image);
/// An animated WebP of lossless frames of equal size.
Bytes encode_webp_animation(const std::vector<Image>& frames);

struct GifStyle {
  bool interlaced = false;
  int transparent = -1;  ///< index of the transparent color; -1: none
  int canvas_width = 0;  ///< 0: that of the frame
  int canvas_height = 0;
  int left = 0;  ///< position of the frame on the canvas
  int top = 0;
};
/// A GIF of one-channel frames whose values are palette indices: color i is (i, 255 - i, 7).
Bytes encode_gif(const std::vector<Image>& frames, const GifStyle& style = {});

struct TiffStyle {
  int compression = 5;  ///< LZW
  int bits = 8;         ///< per channel; with 16, values are multiplied by 257
  bool tiled = false;   ///< tiles of 16 x 16
  bool separate = false;
  bool cmyk = false;      ///< interprets four channels as CMYK instead of RGBA
  bool is_float = false;  ///< with 32 bits
  int orientation = 1;
  int pages = 1;  ///< later pages are black
};
Bytes encode_tiff(const Image& image, const TiffStyle& style = {});

}  // namespace projnce::testing
