#pragma once

#include <cstdint>
#include <vector>

#include "projnce/core/sample.h"

namespace projnce::io {

/// A JPEG file of an RGB image; one without color is written as gray. `quality` is libjpeg's, 1
/// to 100.
std::vector<uint8_t> encode_jpeg(const Image& image, int quality);

/// A PNG file of the pixels: gray, gray and alpha, RGB or RGBA by the number of channels.
std::vector<uint8_t> encode_png(const Image& image);

}  // namespace projnce::io
