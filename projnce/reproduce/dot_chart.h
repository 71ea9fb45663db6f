#pragma once

#include <string>
#include <vector>

#include "projnce/reproduce/chart_parts.h"

namespace projnce {

struct DotPanel {
  std::string title;               ///< "" where the chart's says it
  std::vector<ChartValue> values;  ///< by row of the chart
};

/// Panels beside each other, each with the same rows and an axis of its own.
struct DotChart {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::vector<std::string> rows;
  std::vector<DotPanel> panels;
};

/// The chart as a whole SVG file. REQUIRES: every panel has a finite number.
std::string dot_chart_svg(const DotChart& chart);

}  // namespace projnce
