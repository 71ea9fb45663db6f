#pragma once

#include <cstdint>
#include <span>

namespace projnce {

/// The orientation, 1 to 8, that a JPEG's APP1 segment (what follows its length) tells; 1, upright,
/// where it tells none or is damaged: the picture itself is not.
int exif_orientation(std::span<const uint8_t> segment);

}  // namespace projnce
