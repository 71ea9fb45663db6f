#include "projnce/eval/tsne/map_spread.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace projnce {

namespace {

/// Second moments of points whose mean is 0.
struct Moments {
  double xx = 0;
  double xy = 0;
  double yy = 0;
};

struct Direction {
  double x;
  double y;
};

Moments moments_of(const std::vector<float>& points) {
  Moments sums;
  for (size_t i = 0; i < points.size(); i += 2) {
    const double x = points[i], y = points[i + 1];
    sums.xx += x * x;
    sums.xy += x * y;
    sums.yy += y * y;
  }
  const auto count = static_cast<double>(points.size() / 2);
  return {sums.xx / count, sums.xy / count, sums.yy / count};
}

/// Measured along the axis itself: the eigenvalue of the moments loses its digits if the other
/// axis is much longer.
double deviation_along(const Direction& axis, const std::vector<float>& points) {
  double squares = 0;
  for (size_t i = 0; i < points.size(); i += 2) {
    const double along = axis.x * points[i] + axis.y * points[i + 1];
    squares += along * along;
  }
  return std::sqrt(squares / static_cast<double>(points.size() / 2));
}

void scale_along(const Direction& axis, double factor, std::vector<float>& points) {
  for (size_t i = 0; i < points.size(); i += 2) {
    const double more = (factor - 1) * (axis.x * points[i] + axis.y * points[i + 1]);
    points[i] += static_cast<float>(more * axis.x);
    points[i + 1] += static_cast<float>(more * axis.y);
  }
}

}  // namespace

bool raise_spread(std::vector<float>& positions, std::vector<float>& velocities, double smallest) {
  const auto [xx, xy, yy] = moments_of(positions);
  const double middle = (xx + yy) / 2, radius = std::hypot((xx - yy) / 2, xy);
  // The margin is for what the difference loses to rounding.
  if (middle - radius > smallest * smallest + 1e-14 * middle) return false;
  const double angle = std::atan2(2 * xy, xx - yy) / 2;  // of the longer axis
  int raised = 0;
  for (const double turn : {0.0, std::numbers::pi / 2}) {
    const Direction axis{std::cos(angle + turn), std::sin(angle + turn)};
    const double deviation = deviation_along(axis, positions);
    if (!(deviation > 0 && deviation < smallest)) continue;
    scale_along(axis, smallest / deviation, positions);
    scale_along(axis, smallest / deviation, velocities);
    ++raised;
  }
  return raised == 2;
}

}  // namespace projnce
