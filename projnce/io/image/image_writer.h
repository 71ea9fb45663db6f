#pragma once

#include <cstdint>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

/// Encodes an RGB image as JPEG, or as grayscale JPEG if it has no color. `quality` is libjpeg's
/// quality, 1 to 100.
std::vector<uint8_t> encode_jpeg(const Image& image, int quality);

/// Encodes an image as PNG: gray, gray + alpha, RGB or RGBA, depending on the number of channels.
std::vector<uint8_t> encode_png(const Image& image);

}  // namespace projnce::io
