#pragma once

#include <span>
#include <string>
#include <vector>

namespace projnce {

struct AxisTick {
  double value = 0;
  std::string text;
};

/// An axis of values that begins and ends at round numbers.
struct ValueAxis {
  double low = 0;
  double high = 1;
  std::vector<AxisTick> ticks;

  /// Where between its ends: 0 the low one, 1 the high one.
  double share(double value) const { return (value - low) / (high - low); }
};

/// An axis that holds all values, in about `steps` steps of 1, 2 or 5 times a power of ten.
/// REQUIRES: there is a value, and all are finite.
ValueAxis value_axis(std::span<const double> values, int steps);

/// Places in 0..1 for values that rise, so far apart that they can be told from each other: by
/// value; where that crowds some, by logarithm; where there is none, in equal steps.
std::vector<double> spread_places(std::span<const double> rising);

/// A number of a scale as short as can be: "0.05", "1000", with a true minus.
std::string plain_number(double value);

}  // namespace projnce
