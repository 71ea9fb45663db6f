#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/report/canvas.h"
#include "projnce/report/cluster_labels.h"
#include "projnce/report/legend.h"
#include "projnce/report/map_classes.h"

namespace projnce {

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

}  // namespace projnce
