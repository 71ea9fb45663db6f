#pragma once

#include <string>

#include "projnce/report/suspect_tiles.h"

namespace projnce {

/// The suspects as one page that needs nothing else, light or dark as the reader prefers.
std::string suspect_page(const SuspectTiles& sheet);

}  // namespace projnce
