#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace projnce::report {

struct ChartTick {
  double at = 0;
  std::string text;
};

struct ChartAxis {
  std::string title;
  bool log = false;  ///< logarithmic; values that are not positive are not drawn
  /// Both ends; default: round numbers around the values. Values outside are not drawn.
  std::optional<std::pair<double, double>> range = std::nullopt;
  std::vector<ChartTick> ticks = {};  ///< default: round numbers
};

/// Where values are along an axis.
class AxisScale {
 public:
  /// Without a range the axis holds all values and ticks that it can show. If there are no ticks,
  /// it gets about `steps` of them.
  AxisScale(const ChartAxis& axis, const std::vector<double>& values, int steps);

  const std::vector<ChartTick>& ticks() const { return ticks_; }
  bool contains(double value) const;
  /// 0 at the low end, 1 at the high one. REQUIRES: finite, and positive if the axis is
  /// logarithmic.
  double share(double value) const;
  /// As `share`; values outside are at the nearer end, those that a logarithm lacks at the low one.
  double bounded_share(double value) const;

 private:
  bool can_show(double value) const;
  double position(double value) const;
  void find_ends(const std::vector<double>& values);

  bool log_;
  double low_ = 0;
  double high_ = 1;
  std::vector<ChartTick> ticks_;
};

/// A number as short as possible: "0.05", "1000"; with a true minus sign.
std::string plain_number(double value);

}  // namespace projnce::report
