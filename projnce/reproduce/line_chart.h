#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "projnce/reproduce/chart_parts.h"

namespace projnce {

/// A place on the lower axis that has a name.
struct ChartStop {
  double place = 0;  ///< in 0..1 from left to right
  std::string text;
};

struct ChartPoint {
  size_t stop = 0;  ///< which of the chart's
  ChartValue value;
};

struct ChartCurve {
  std::string name;
  std::vector<ChartPoint>
      points;  ///< from left to right; the line has a gap where none was trained
};

struct LineChart {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::string y_title;
  std::vector<ChartStop> stops;
  std::vector<ChartCurve> curves;
};

/// The chart as a whole SVG file. REQUIRES: it has a finite number.
std::string line_chart_svg(const LineChart& chart);

}  // namespace projnce
