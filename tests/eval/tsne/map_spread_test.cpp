#include "projnce/eval/tsne/map_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace projnce::eval {
namespace {

struct Deviations {
  double along;   // the direction (4, 3) / 5
  double across;  // the direction (-3, 4) / 5
};

/// Four points with these standard deviations.
std::vector<float> rhombus(double along, double across) {
  const double u = along * std::sqrt(2.0), v = across * std::sqrt(2.0);
  const std::vector<std::pair<double, double>> corners = {{u, 0}, {-u, 0}, {0, v}, {0, -v}};
  std::vector<float> points;
  for (const auto& [a, b] : corners) {
    points.push_back(static_cast<float>((4 * a - 3 * b) / 5));
    points.push_back(static_cast<float>((3 * a + 4 * b) / 5));
  }
  return points;
}

Deviations deviations(const std::vector<float>& points) {
  double along = 0, across = 0;
  for (size_t i = 0; i < points.size(); i += 2) {
    along += std::pow((4 * points[i] + 3 * points[i + 1]) / 5, 2);
    across += std::pow((-3 * points[i] + 4 * points[i + 1]) / 5, 2);
  }
  const auto count = static_cast<double>(points.size() / 2);
  return {std::sqrt(along / count), std::sqrt(across / count)};
}

TEST(MapSpread, DoesNotChangeALargeMap) {
  const auto points = rhombus(3, 1e-3);
  auto positions = points, velocities = points;
  EXPECT_FALSE(raise_spread(positions, velocities, 1e-4));
  EXPECT_EQ(positions, points);
  EXPECT_EQ(velocities, points);
}

TEST(MapSpread, RaisesOnlyTheSmallDirection) {
  auto positions = rhombus(0.5, 2e-6), velocities = rhombus(0.25, 1e-6);
  EXPECT_FALSE(raise_spread(positions, velocities, 1e-5));
  EXPECT_NEAR(deviations(positions).along, 0.5, 1e-6);
  EXPECT_NEAR(deviations(positions).across, 1e-5, 1e-7);
  EXPECT_NEAR(deviations(velocities).along, 0.25, 1e-6);
  EXPECT_NEAR(deviations(velocities).across, 5e-6, 1e-7);
}

TEST(MapSpread, ReturnsTrueIfBothDirectionsAreRaised) {
  auto positions = rhombus(2e-20, 1e-22), velocities = rhombus(1e-20, 0);
  EXPECT_TRUE(raise_spread(positions, velocities, 1e-5));
  EXPECT_NEAR(deviations(positions).along, 1e-5, 1e-10);
  EXPECT_NEAR(deviations(positions).across, 1e-5, 1e-10);
  EXPECT_NEAR(deviations(velocities).along, 5e-6, 1e-10);
}

TEST(MapSpread, DoesNotMoveCoincidentPoints) {
  std::vector<float> positions(8, 0), velocities(8, 0);
  EXPECT_FALSE(raise_spread(positions, velocities, 1e-5));
  EXPECT_EQ(positions, std::vector<float>(8, 0));
}

}  // namespace
}  // namespace projnce::eval
