#pragma once

#include <string>

#include "projnce/report/map_layout.h"

namespace projnce {

/// The map as one page that needs nothing else, light or dark as the reader prefers. Pointing at a
/// class in the legend fades the others.
std::string map_page(const MapLayout& layout);

}  // namespace projnce
