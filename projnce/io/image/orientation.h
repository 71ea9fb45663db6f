#pragma once

#include <cstdint>
#include <span>

#include "projnce/core/sample.h"

namespace projnce::io {

/// Returns the EXIF orientation (1 to 8) in a JPEG APP1 segment (without its length); 1 (upright)
/// if it is missing or invalid, since the image itself is still valid.
int exif_orientation(std::span<const uint8_t> segment);

/// One of the eight EXIF orientations: maps rows and columns of the file to those of the displayed
/// image.
class Orientation {
 public:
  /// REQUIRES: 1 <= exif <= 8.
  explicit Orientation(int exif)
      : swaps_axes_(exif >= 5),
        mirrors_rows_(exif == 3 || exif == 4 || exif == 6 || exif == 7),
        mirrors_columns_(exif == 2 || exif == 3 || exif == 7 || exif == 8) {}

  bool upright() const { return !swaps_axes_ && !mirrors_rows_ && !mirrors_columns_; }
  /// True if the image's height is the file's width.
  bool swaps_axes() const { return swaps_axes_; }

  /// Maps a box of the image to the file, which has the given size.
  PixelBox to_file(const PixelBox& box, int file_height, int file_width) const;
  /// Inverse of to_file.
  PixelBox to_image(const PixelBox& box, int file_height, int file_width) const;

  /// Converts pixels in file order to the displayed image, including the window.
  Image apply(Image image) const;

 private:
  PixelBox mirrored(PixelBox box, int file_height, int file_width) const;
  Image reorder_pixels(const Image& image) const;

  bool swaps_axes_;
  bool mirrors_rows_;
  bool mirrors_columns_;
};

}  // namespace projnce::io
