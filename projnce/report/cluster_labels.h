#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "projnce/report/geometry.h"
#include "projnce/report/lettering.h"

namespace projnce {

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

}  // namespace projnce
