#pragma once

#include <cstdint>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// A PNG file of the pixels: grey, grey and alpha, RGB or RGBA by the number of channels.
std::vector<uint8_t> encode_png(const Image& image);

}  // namespace projnce
