#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "projnce/report/chart/chart_axis.h"

namespace projnce::report {

/// A measured value. If x or y is not finite, there is no mark and the line has a gap.
struct ChartPoint {
  double x = 0;
  double y = std::numeric_limits<double>::quiet_NaN();
  double error = 0;  ///< half the height of the error bar; 0: no error bar
  /// A value to compare y with, such as a published one: drawn as a ring.
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

/// A line chart with error bars. Texts are fit for one line (display_name).
///
///   LineChart chart{.title = "Bound", .x = {.title = "batch size", .log = true}, .y = {.title =
///   "nats"}}; chart.series.push_back({"ProjNCE", {{.x = 64, .y = 1.2, .error = 0.1}, {.x = 128, .y
///   = 1.4}}}); chart.reference_lines.push_back({"I(Z;C)", 1.61});
///   write_file_atomically("bound.svg", to_svg(chart));
struct LineChart {
  std::string title;
  std::string subtitle = {};
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series = {};
  std::vector<ReferenceLine> reference_lines = {};
  /// Share of the smallest distance between x values over which series stand side by side, so
  /// that none hides another's marks. 0: every mark is exactly at its x.
  double dodge = 0;
  std::string mark_note = {};       ///< legend of the dots and error bars: "mean of 3 seeds"
  std::string reference_note = {};  ///< legend of the rings: "in the paper"
};

/// The chart as a whole SVG file, which can also stand inside an HTML document.
std::string to_svg(const LineChart& chart);

}  // namespace projnce::report
