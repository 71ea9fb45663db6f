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
  bool log = false;  ///< logarithmic scale; values that are not positive are not drawn
  /// Limits; default: round numbers around the values. Values outside are not drawn.
  std::optional<std::pair<double, double>> range = std::nullopt;
  std::vector<ChartTick> ticks = {};  ///< default: round numbers
};

/// Maps values to positions on an axis.
class AxisScale {
 public:
  /// Without a range, the axis covers all values and ticks that it can show. Without ticks, about
  /// `steps` of them are chosen.
  AxisScale(const ChartAxis& axis, const std::vector<double>& values, int steps);

  const std::vector<ChartTick>& ticks() const { return ticks_; }
  bool contains(double value) const;
  /// Relative position: 0 at the lower limit, 1 at the upper. REQUIRES: a finite value, positive if
  /// the axis is logarithmic.
  double share(double value) const;
  /// Same as `share`, clamped to [0, 1]; 0 for values without a logarithm on a logarithmic axis.
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

/// Formats a number as short as possible ("0.05", "1000"), with a Unicode minus sign.
std::string plain_number(double value);

}  // namespace projnce::report
