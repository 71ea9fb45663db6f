#pragma once

#include <cstdint>

#include "tests/support/data_files.h"

namespace projnce::testing {

/// An uncompressed BMP of 24 bits per pixel (three channels) or of 8 with a gray palette (one).
Bytes encode_bmp(const Image& image);
/// A lossless WebP of three or four channels.
Bytes encode_webp(const Image& image);
/// An animation of these lossless frames, all of one size.
Bytes encode_webp_animation(const std::vector<Image>& frames);

struct GifStyle {
  bool interlaced = false;
  int transparent = -1;  ///< index of the color; -1 for none
  int canvas_width = 0;  ///< 0: the frame's
  int canvas_height = 0;
  int left = 0;  ///< of the frame on the canvas
  int top = 0;
};
/// Frames of one channel, whose values are indices into a palette: color i is (i, 255 - i, 7).
Bytes encode_gif(const std::vector<Image>& frames, const GifStyle& style = {});

struct TiffStyle {
  int compression = 5;  ///< LZW
  int bits = 8;         ///< of a channel; 16: each value times 257
  bool tiled = false;   ///< tiles of 16 x 16
  bool separate = false;
  bool cmyk = false;      ///< of four channels, instead of red, green, blue and alpha
  bool is_float = false;  ///< with 32 bits
  int orientation = 1;
  int pages = 1;  ///< later pages are black
};
Bytes encode_tiff(const Image& image, const TiffStyle& style = {});

}  // namespace projnce::testing
