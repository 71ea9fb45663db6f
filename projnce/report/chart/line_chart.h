#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "projnce/report/chart/chart_axis.h"

namespace projnce::report {

/// A measured value. If x or y is not finite, the mark is omitted and the line has a gap.
struct ChartPoint {
  double x = 0;
  double y = std::numeric_limits<double>::quiet_NaN();
  double error = 0;  ///< half the height of the error bar; 0: no error bar
  /// Reference value for y, such as a published one; drawn as a ring.
  std::optional<double> reference = std::nullopt;
  std::string label = {};  ///< tooltip of the value; empty: "y ± error"
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  ///< by ascending x
  bool line = true;                ///< connects the points
  bool marks = true;               ///< draws a dot at each point
  bool dashed = false;             ///< for curves that were computed rather than measured
};

/// A horizontal line, such as an exact value or an upper limit.
struct ReferenceLine {
  std::string name;
  double y = 0;
};

/// Line chart with error bars. REQUIRES: texts sanitized by display_name.
///
///   LineChart chart{.title = "Bound"};
///   chart.x = {.title = "batch size", .log = true};
///   chart.y = {.title = "nats"};
///   chart.series.push_back({"ProjNCE", {{.x = 64, .y = 1.2, .error = 0.1}}});
///   chart.reference_lines.push_back({"I(Z;C)", 1.61});
///   write_file_atomically("bound.svg", to_svg(chart));
struct LineChart {
  std::string title;
  std::string subtitle = {};
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series = {};
  std::vector<ReferenceLine> reference_lines = {};
  /// Horizontal offset between series, as a fraction of the smallest distance between x values, so
  /// that marks do not overlap. 0: every mark is exactly at its x.
  double dodge = 0;
  std::string mark_note = {};       ///< legend of the dots and error bars: "mean of 3 seeds"
  std::string reference_note = {};  ///< legend of the rings: "in the paper"
};

/// Returns the chart as a complete SVG file, which may also be embedded in HTML.
std::string to_svg(const LineChart& chart);

}  // namespace projnce::report
