#include "projnce/report/chart/chart_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace projnce::report {
namespace {

using ::testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> ticks_of(const ChartAxis& axis, const std::vector<double>& values,
                                  int steps) {
  std::vector<std::string> texts;
  const AxisScale scale(axis, values, steps);
  for (const auto& tick : scale.ticks()) texts.push_back(tick.text);
  return texts;
}

ChartAxis log_axis() {
  return {.title = "x", .log = true};
}

TEST(AxisScale, EndsAtRoundNumbersAroundTheValues) {
  EXPECT_THAT(ticks_of({}, {33, 71}, 5), ElementsAre("30", "40", "50", "60", "70", "80"));
  EXPECT_THAT(ticks_of({}, {100, 0}, 5), ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_THAT(ticks_of({}, {-0.1, 0.12}, 3), ElementsAre("−0.1", "0.0", "0.1", "0.2"));
  EXPECT_THAT(ticks_of({}, {50, 50}, 2), ElementsAre("45", "50", "55"));
  EXPECT_THAT(ticks_of({}, {0.003, 0.003}, 2), ElementsAre("0.0028", "0.0030", "0.0032"));
  const AxisScale scale({}, {33, 71}, 5);
  EXPECT_DOUBLE_EQ(scale.share(30), 0);
  EXPECT_DOUBLE_EQ(scale.share(55), 0.5);
  EXPECT_DOUBLE_EQ(scale.share(80), 1);
}

TEST(AxisScale, LogTicksAreRoundNumbers) {
  EXPECT_THAT(ticks_of(log_axis(), {3, 70}, 8), ElementsAre("2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(ticks_of(log_axis(), {1e-3, 1e3}, 8),
              ElementsAre("0.001", "0.01", "0.1", "1", "10", "100", "1000"));
  const AxisScale scale(log_axis(), {1, 100}, 6);
  EXPECT_DOUBLE_EQ(scale.share(10), 0.5);
  EXPECT_FALSE(scale.contains(0));
  EXPECT_FALSE(scale.contains(-1));
  EXPECT_DOUBLE_EQ(scale.bounded_share(-1), 0);
}

TEST(AxisScale, KeepsRangeAndLimitsTicksToIt) {
  const ChartAxis axis{.title = "", .range = std::pair(0.25, 0.95)};
  EXPECT_THAT(ticks_of(axis, {-7, 7}, 4), ElementsAre("0.4", "0.6", "0.8"));
  const AxisScale scale(axis, {}, 4);
  EXPECT_TRUE(scale.contains(0.25));
  EXPECT_FALSE(scale.contains(0.2));
  EXPECT_DOUBLE_EQ(scale.bounded_share(2), 1);
  const ChartAxis log_range{.title = "", .log = true, .range = std::pair(3.0, 30.0)};
  EXPECT_THAT(ticks_of(log_range, {}, 6), ElementsAre("5", "10", "20"));
}

TEST(AxisScale, KeepsGivenTicks) {
  const ChartAxis axis{.title = "", .ticks = {{0, "none"}, {2, "some"}}};
  EXPECT_THAT(ticks_of(axis, {1, 3}, 4), ElementsAre("none", "some"));
  const AxisScale scale(axis, {1, 3}, 4);
  EXPECT_DOUBLE_EQ(scale.share(0), 0);
  EXPECT_DOUBLE_EQ(scale.share(3), 1);
}

TEST(AxisScale, IgnoresNonFiniteValues) {
  EXPECT_THAT(ticks_of({}, {kNoValue, 0, kInfinity, 4}, 4), ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_THAT(ticks_of({}, {kNoValue}, 2), ElementsAre("0.0", "0.5", "1.0"));
  EXPECT_FALSE(AxisScale({}, {0, 1}, 4).contains(kNoValue));
}

TEST(AxisScale, ManyDecadesHaveFewTicks) {
  for (const double high : {1.0, 1.1, 9.0, 1e3, 1e9, 1e30, 1e300}) {
    const auto ticks = ticks_of(log_axis(), {1, high}, 8);
    EXPECT_GE(ticks.size(), 2U) << high;
    EXPECT_LE(ticks.size(), 12U) << high;
  }
}

}  // namespace
}  // namespace projnce::report
