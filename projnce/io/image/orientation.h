#pragma once

#include <cstdint>
#include <span>

#include "projnce/core/sample.h"

namespace projnce::io {

/// The orientation, 1 to 8, that a JPEG's APP1 segment (what follows its length) tells; 1, upright,
/// where it tells none or is damaged: the image itself is not.
int exif_orientation(std::span<const uint8_t> segment);

/// One of EXIF's eight ways in which the rows and columns of a file become those of the image
/// that people see.
class Orientation {
 public:
  /// REQUIRES: 1 <= exif <= 8.
  explicit Orientation(int exif)
      : swaps_axes_(exif >= 5),
        mirrors_rows_(exif == 3 || exif == 4 || exif == 6 || exif == 7),
        mirrors_columns_(exif == 2 || exif == 3 || exif == 7 || exif == 8) {}

  bool upright() const { return !swaps_axes_ && !mirrors_rows_ && !mirrors_columns_; }
  /// The image's height is the file's width.
  bool swaps_axes() const { return swaps_axes_; }

  /// Where a box of the image lies in the file, which has these sides.
  PixelBox to_file(const PixelBox& box, int file_height, int file_width) const;
  /// The other way round.
  PixelBox to_image(const PixelBox& box, int file_height, int file_width) const;

  /// The image of pixels that are ordered as in the file; their window becomes the image's.
  Image turn(Image image) const;

 private:
  PixelBox mirrored(PixelBox box, int file_height, int file_width) const;
  Image turned_pixels(const Image& image) const;

  bool swaps_axes_;
  bool mirrors_rows_;
  bool mirrors_columns_;
};

}  // namespace projnce::io
