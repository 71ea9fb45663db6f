#pragma once

#include <cstdint>
#include <vector>

#include "projnce/core/image.h"

namespace projnce {

/// A JPEG file of an RGB picture; one without colour is written as grey. `quality` is libjpeg's, 1
/// to 100.
std::vector<uint8_t> encode_jpeg(const Image& image, int quality);

}  // namespace projnce
