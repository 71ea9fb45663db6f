#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "projnce/core/image.h"

namespace projnce {

// The decoders behind decode_image; bytes are known to start as their format does.
Image decode_jpeg(std::span<const uint8_t> bytes, const std::string& name);
Image decode_png(std::span<const uint8_t> bytes, const std::string& name);

/// What a header says about the picture behind it.
struct ImageHeader {
  int64_t width;
  int64_t height;
  int channels;
  double densest;  ///< the most pixels that the format can pack into one byte of file
};

/// An image with room for the pixels. Throws where the header is implausible: no pixels, too many,
/// or more than a file of `file_bytes` can hold, so that a small file cannot claim much memory.
Image allocate_image(const ImageHeader& header, size_t file_bytes, const std::string& name);

}  // namespace projnce
