#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "projnce/core/picture_need.h"

namespace projnce {

// The decoders behind decode_image; bytes are known to start as their format does.
Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name,
                  const PictureNeeds& needs);
Image decode_png(std::span<const uint8_t> bytes, const std::string& name);
Image decode_bmp(std::span<const uint8_t> bytes, const std::string& name);
/// The first frame of an animation, as decode_webp; of several pages the first, as decode_tiff.
Image decode_gif(std::span<const uint8_t> bytes, const std::string& name);
Image decode_tiff(std::span<const uint8_t> bytes, const std::string& name);
Image decode_webp(std::span<const uint8_t> bytes, const std::string& name);

/// What a header says about the picture behind it.
struct ImageHeader {
  int64_t width;
  int64_t height;
  double densest;  ///< the most pixels that the format can pack into one byte of file
};

/// Throws where the header is implausible: no pixels, too many, or more than a file of `file_bytes`
/// can hold, so that a small file cannot claim much memory.
void check_image_header(const ImageHeader& header, size_t file_bytes, const std::string& name);

/// An image with room for its pixels. REQUIRES: check_image_header passed.
Image blank_image(int height, int width, int channels);

}  // namespace projnce
