#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "projnce/report/chart/canvas.h"
#include "projnce/report/map/map_labels.h"

namespace projnce::report {

/// Scatter plot of samples, colored by class.
struct ScatterMap {
  std::span<const float> positions;      ///< [N, 2]
  std::span<const int64_t> labels;       ///< [N]; if empty, all samples have one color
  std::vector<std::string> class_names;  ///< by label; if empty, classes are shown by number
  std::string title;
  std::string subtitle;  ///< one sentence about data and method
};

/// Throws unless the file name ends in .svg, .png or .html.
void check_map_name(const std::filesystem::path& file);

/// Writes the map atomically, in the format given by the file extension. Non-finite positions are
/// omitted and counted in the subtitle. Throws if no finite position remains, lengths differ or a
/// label has no name. Names may contain any bytes.
void write_scatter_map(const std::filesystem::path& file, const ScatterMap& map);

/// Some samples of a class, drawn together.
struct DotRun {
  size_t number = 0;  ///< class number
  std::vector<Point> points;
};

/// A placed line of text.
struct MapLine {
  std::string text;
  Point at;
  TextStyle style;
};

/// Layout of a map, independent of the canvas.
struct MapLayout {
  double width = 0;
  double height = 0;
  std::string title;
  std::vector<MapLine> heading;
  Box frame;
  double radius = 0;   ///< of a dot
  double opacity = 1;  ///< of a dot
  std::vector<MapClass> classes;
  /// In drawing order. Classes are drawn in interleaved pieces, so that none hides another.
  std::vector<DotRun> runs;
  Legend legend;  ///< empty if there are no labels
  Font label_font;
  std::vector<ClusterLabel> labels;  ///< names among the dots, if there are many classes
};

MapLayout lay_out_map(const ScatterMap& map);

void draw_map(const MapLayout& layout, Canvas& canvas);

}  // namespace projnce::report
