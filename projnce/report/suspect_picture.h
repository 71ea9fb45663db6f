#pragma once

#include "projnce/report/suspect_tiles.h"

namespace projnce {

/// Pixels of a tile's side that the picture is made of.
inline constexpr int kSuspectTilePixels = 320;

/// The suspects as one picture, RGB, six in a row.
Image suspect_picture(const SuspectTiles& sheet);

}  // namespace projnce
