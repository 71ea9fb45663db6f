#include "projnce/report/terminal/terminal_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace projnce::report {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

std::string line_of(const std::vector<double>& values, int width = 80) {
  return sparkline(values, width);
}

TEST(Sparkline, RisesWithTheValues) {
  EXPECT_EQ(line_of({0, 1, 2, 3, 4, 5, 6, 7}), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(line_of({7, 0}), "█▁");
  EXPECT_EQ(line_of({-1, 0, 1}), "▁▅█");
}

TEST(Sparkline, ConstantValuesAreAtHalfHeight) {
  EXPECT_EQ(line_of({3, 3, 3}), "▄▄▄");
  EXPECT_EQ(line_of({0.5}), "▄");
}

TEST(Sparkline, NonFiniteValuesAreGaps) {
  EXPECT_EQ(line_of({0, kNoNumber, 1, kEndless, -kEndless, 0}), "▁ █  ▁");
  EXPECT_EQ(line_of({kNoNumber, 2}), " ▄");
  EXPECT_EQ(line_of({kNoNumber, kEndless}), "");
  EXPECT_EQ(line_of({}), "");
}

TEST(Sparkline, ManyValuesBecomeMeans) {
  EXPECT_EQ(line_of({0, 2, 7, 9}, 2), "▁█");
  EXPECT_EQ(line_of({0, kNoNumber, 7, kNoNumber}, 2), "▁█");
  std::vector<double> falling;
  for (int i = 0; i < 10'000; ++i) falling.push_back(-i);
  EXPECT_EQ(line_of(falling, 8), "█▇▆▅▄▃▂▁");
  EXPECT_EQ(line_of(falling, 0), "▄");
}

TEST(Sparkline, HandlesWidestRange) {
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ(line_of({-kMax, 0, kMax}), "▁▅█");
  EXPECT_EQ(line_of({kMax, kMax, 0, 0}, 2), "█▁");
}

}  // namespace
}  // namespace projnce::report
