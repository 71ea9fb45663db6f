#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/report/palette.h"
#include "projnce/report/scatter_map.h"

namespace projnce {

/// A class that the map shows.
struct MapClass {
  std::string name;  ///< fit for one line
  Colour colour;
  std::vector<size_t> samples;  ///< its rows of the positions, in an order that says nothing
};

/// The classes that have samples at finite positions, by label. Up to twenty named classes keep
/// their colours from map to map, whichever of them are there.
std::vector<MapClass> find_map_classes(const ScatterMap& map);

}  // namespace projnce
