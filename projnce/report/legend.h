#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/report/geometry.h"
#include "projnce/report/lettering.h"

namespace projnce {

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

}  // namespace projnce
