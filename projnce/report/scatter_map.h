#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace projnce {

/// Samples as dots in the plane, coloured by class.
struct ScatterMap {
  std::span<const float> positions;      ///< [N, 2]
  std::span<const int64_t> labels;       ///< [N], or none: all in one colour
  std::vector<std::string> class_names;  ///< by label, or none: classes are called by number
  std::string title;
  std::string subtitle;  ///< one sentence: what was mapped and how
};

/// Throws where the name of a map's file ends in none of .svg, .png and .html.
void check_map_name(const std::filesystem::path& file);

/// Draws the map into a file of the kind that its name says, which appears whole or not at all.
/// Positions that are not finite are left out and counted in the subtitle. Throws where none is
/// left, where lengths differ and where a label has no name. Names may hold any bytes.
void write_scatter_map(const std::filesystem::path& file, const ScatterMap& map);

}  // namespace projnce
