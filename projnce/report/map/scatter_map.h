#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/report/chart/canvas.h"
#include "projnce/report/map/map_labels.h"

namespace projnce::report {

/// Samples as dots in the plane, colored by class.
struct ScatterMap {
  std::span<const float> positions;      ///< [N, 2]
  std::span<const int64_t> labels;       ///< [N], or none: all in one color
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

/// Some samples of a class, drawn together.
struct DotRun {
  size_t number = 0;  ///< of the class
  std::vector<Point> points;
};

/// A line of text in its place.
struct MapLine {
  std::string text;
  Point at;
  TextStyle style;
};

/// A map with everything in its place, for a canvas of any kind.
struct MapLayout {
  double width = 0;
  double height = 0;
  std::string title;
  std::vector<MapLine> heading;
  Box frame;
  double radius = 0;   ///< of a dot
  double opacity = 1;  ///< of a dot
  std::vector<MapClass> classes;
  std::vector<DotRun>
      runs;       ///< in the order of drawing: each class in pieces, so none hides another
  Legend legend;  ///< without lines where there are no labels
  Font label_font;
  std::vector<ClusterLabel> labels;  ///< names among the dots, where there are many classes
};

MapLayout lay_out_map(const ScatterMap& map);

void draw_map(const MapLayout& layout, Canvas& canvas);

}  // namespace projnce::report
