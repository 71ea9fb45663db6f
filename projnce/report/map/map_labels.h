#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/report/chart/canvas.h"
#include "projnce/report/chart/lettering.h"

namespace projnce::report {

struct ScatterMap;

/// A class that the map shows.
struct MapClass {
  std::string name;  ///< fit for one line
  Color color;
  std::vector<size_t> samples;  ///< its rows of the positions, in an order that says nothing
};

/// The classes that have samples at finite positions, by label. Up to twenty named classes keep
/// their colors from map to map, whichever of them are there.
std::vector<MapClass> find_map_classes(const ScatterMap& map);

/// A class that wants its name on the map.
struct ClusterName {
  size_t number = 0;
  std::string name;
  Point at;  ///< the middle of its samples
};

/// A name in its place.
struct ClusterLabel {
  size_t number = 0;
  std::string text;
  Box box;
  Point at;  ///< the middle of its base line
};

/// Of the class's points, the one nearest to their median: a name there is among its own samples,
/// which the median of a class in two pieces is not. REQUIRES: at least one point.
Point cluster_middle(std::vector<Point> points);

/// The names near their middles, inside the frame and none over another: the first come first, and
/// one that finds no room is left out.
std::vector<ClusterLabel> place_labels(const std::vector<ClusterName>& names, const Font& font,
                                       const Box& frame);

/// Classes that a legend lists at most.
inline constexpr size_t kLegendClasses = 200;

struct LegendEntry {
  size_t number = 0;  ///< of the class
  std::string name;
  int64_t count = 0;  ///< samples of the class
};

/// An entry in its place.
struct LegendLine {
  size_t number = 0;
  Box box;      ///< all of it
  Point dot;    ///< the middle of its dot
  Point name;   ///< where its text starts, on the base line
  Point count;  ///< where its count ends, on the base line
  std::string name_text;
  std::string count_text;  ///< empty where there is no room for counts
};

struct Legend {
  std::vector<LegendLine> lines;
  Font font;
  double dot_radius = 0;
  Box box;           ///< all lines
  std::string more;  ///< how many classes are not listed; empty where all are
  Point more_at;
};

/// The entries in columns that start at `corner` and want to be no higher than `height`: few in
/// large letters with their counts, many in small ones; names that are too long are shortened. Of
/// more than kLegendClasses the largest are listed. The order stays.
Legend lay_out_legend(std::vector<LegendEntry> entries, const Point& corner, double height);

}  // namespace projnce::report
