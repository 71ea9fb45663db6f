#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/report/chart/canvas.h"

namespace projnce::report {

struct ScatterMap;

/// A class on the map.
struct MapClass {
  std::string name;  ///< sanitized by display_name
  Color color;
  std::vector<size_t> samples;  ///< rows of the positions, in random order
};

/// Returns the classes that have samples at finite positions, by label. Up to twenty named classes
/// have the same color on every map, even if some are absent.
std::vector<MapClass> find_map_classes(const ScatterMap& map);

/// A class name to be placed on the map.
struct ClusterName {
  size_t number = 0;
  std::string name;
  Point at;  ///< center of its samples
};

/// A placed class name.
struct ClusterLabel {
  size_t number = 0;
  std::string text;
  Box box;
  Point at;  ///< center of its baseline
};

/// Returns the point nearest to the median of the points. Unlike the median itself, it lies among
/// the samples even if the class has two clusters. REQUIRES: at least one point.
Point cluster_middle(std::vector<Point> points);

/// Places names near their centers, inside the frame and without overlap. Earlier names take
/// precedence; a name that does not fit is omitted.
std::vector<ClusterLabel> place_labels(const std::vector<ClusterName>& names, const Font& font,
                                       const Box& frame);

/// Maximum number of classes in a legend.
inline constexpr size_t kLegendClasses = 200;

struct LegendEntry {
  size_t number = 0;  ///< class number
  std::string name;
  int64_t count = 0;  ///< number of samples
};

/// A placed legend entry.
struct LegendLine {
  size_t number = 0;
  Box box;      ///< bounding box
  Point dot;    ///< center of the dot
  Point name;   ///< start of the name, on the baseline
  Point count;  ///< end of the count, on the baseline
  std::string name_text;
  std::string count_text;  ///< empty if counts do not fit
};

struct Legend {
  std::vector<LegendLine> lines;
  Font font;
  double dot_radius = 0;
  Box box;           ///< bounding box of all lines
  std::string more;  ///< note on classes that are not listed; empty if all are
  Point more_at;
};

/// Lays out the entries in columns that start at `corner` and are about `height` high. Few entries
/// are large and have counts, many are small; long names are truncated. If there are more than
/// kLegendClasses, only the largest are listed. Keeps the order.
Legend lay_out_legend(std::vector<LegendEntry> entries, const Point& corner, double height);

}  // namespace projnce::report
