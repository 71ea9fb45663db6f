#include "projnce/report/chart/line_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "projnce/report/chart/canvas.h"
#include "tests/report/well_formed.h"

namespace projnce::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

size_t occurrences(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++count;
  return count;
}

std::string checked_svg(const LineChart& chart) {
  auto svg = to_svg(chart);
  EXPECT_EQ(testing::markup_problem(svg), "");
  return svg;
}

LineChart chart_with(std::vector<ChartSeries> series) {
  return {.title = "Bound",
          .subtitle = "by batch size",
          .x = {.title = "batch size"},
          .y = {.title = "nats"},
          .series = std::move(series)};
}

/// Positions of the dots of a series (radius 4), without that in the legend.
std::vector<Point> dots_of(const std::string& svg, size_t series) {
  const std::regex path("<path class=\"mark c" + std::to_string(series) +
                        "\"[^>]* d=\"M([0-9.]+) ([0-9.]+)h0\"");
  std::vector<Point> points;
  for (std::sregex_iterator found(svg.begin(), svg.end(), path), end; found != end; ++found) {
    points.push_back({std::stod((*found)[1]), std::stod((*found)[2])});
  }
  return points;
}

TEST(LineChart, ContainsTitlesNamesAndColors) {
  const auto svg =
      checked_svg(chart_with({{"SupCon", {{.x = 1, .y = 2}}}, {"<b>", {{.x = 1, .y = 3}}}}));
  EXPECT_THAT(svg, AllOf(HasSubstr(">Bound</text>"), HasSubstr(">by batch size</text>"),
                         HasSubstr(">batch size</text>"), HasSubstr(">nats</text>"),
                         HasSubstr(">SupCon</text>"), HasSubstr(">&lt;b&gt;</text>"),
                         HasSubstr(hex(class_colors(2)[1])), Not(HasSubstr("<b>"))));
}

TEST(LineChart, LineHasGapAtMissingValue) {
  const std::vector<ChartPoint> points = {{.x = 0, .y = 1},
                                          {.x = 1, .y = 2},
                                          {.x = 2, .y = kMissing},
                                          {.x = 3, .y = 3},
                                          {.x = 4, .y = 5}};
  const auto svg = checked_svg(chart_with({{"a", points}}));
  EXPECT_EQ(occurrences(svg, "<polyline"), 2U + 1U) << "two pieces and the legend entry";
  EXPECT_EQ(dots_of(svg, 0).size(), 4U);
  ChartSeries dots{"a", points};
  dots.line = false;
  EXPECT_EQ(occurrences(checked_svg(chart_with({dots})), "<polyline"), 0U);
  ChartSeries curve{"a", points};
  curve.marks = false;
  curve.dashed = true;
  const auto dashed = checked_svg(chart_with({curve}));
  EXPECT_TRUE(dots_of(dashed, 0).empty());
  EXPECT_EQ(occurrences(dashed, "stroke-dasharray"), 2U + 1U);
}

TEST(LineChart, MarksAreAtTheirValues) {
  auto chart = chart_with({{"a", {{.x = 1, .y = 10}, {.x = 10, .y = 20}, {.x = 100, .y = 40}}}});
  chart.x.log = true;
  const auto points = dots_of(checked_svg(chart), 0);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[1].x - points[0].x, points[2].x - points[1].x, 0.2);
  EXPECT_NEAR(2 * (points[0].y - points[1].y), points[1].y - points[2].y, 0.3);
  EXPECT_GT(points[0].y, points[2].y) << "higher values are higher up";
}

TEST(LineChart, ErrorBarsSpanTheError) {
  const auto svg = checked_svg(
      chart_with({{"a", {{.x = 0, .y = 5, .error = 1}, {.x = 1, .y = 6}, {.x = 2, .y = 4}}}}));
  EXPECT_EQ(occurrences(svg, "<polyline"), 1U + 1U + 1U)
      << "the line, one error bar, the legend entry";
  EXPECT_THAT(svg, HasSubstr("<title>a, 5 ± 1</title>"));
  const std::regex bar(
      "points=\"[0-9.]+,([0-9.]+) [0-9.]+,[0-9.]+ [0-9.]+,[0-9.]+ "
      "[0-9.]+,([0-9.]+) ");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(svg, found, bar));
  const auto points = dots_of(svg, 0);
  const double top = std::stod(found[1]);
  const double bottom = std::stod(found[2]);
  EXPECT_NEAR((top + bottom) / 2, points[0].y, 0.2);
  EXPECT_NEAR(bottom - top, points[2].y - points[1].y, 0.3) << "2, as from 4 to 6";
}

TEST(LineChart, DrawsReferencesAsRingsAndNamedLines) {
  auto chart =
      chart_with({{"a", {{.x = 0, .y = 5, .reference = 7.5}, {.x = 1, .y = 6, .reference = 8}}}});
  chart.reference_note = "in the paper";
  chart.mark_note = "mean of 3 seeds";
  chart.reference_lines = {{"log N", 9}};
  const auto svg = checked_svg(chart);
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>a, in the paper: 7.5</title>"),
                         HasSubstr("<title>log N: 9</title>"), HasSubstr(">log N</text>"),
                         HasSubstr(">in the paper</text>"), HasSubstr(">mean of 3 seeds</text>")));
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 1U + 1U)
      << "the reference line, and the line through the rings";
}

TEST(LineChart, DodgeOffsetsSeries) {
  auto chart = chart_with(
      {{"a", {{.x = 0, .y = 1}, {.x = 1, .y = 1}}}, {"b", {{.x = 0, .y = 1}, {.x = 1, .y = 1}}}});
  const auto together = checked_svg(chart);
  EXPECT_DOUBLE_EQ(dots_of(together, 0)[0].x, dots_of(together, 1)[0].x);
  chart.dodge = 0.5;
  const auto apart = checked_svg(chart);
  const double step = dots_of(apart, 0)[1].x - dots_of(apart, 0)[0].x;
  EXPECT_NEAR(dots_of(apart, 1)[0].x - dots_of(apart, 0)[0].x, 0.5 * step, 0.3);
  EXPECT_NEAR(dots_of(apart, 0)[0].x, dots_of(together, 0)[0].x, 0.3) << "inside the frame";
}

TEST(LineChart, DoesNotDrawValuesOutsideOfRange) {
  auto chart =
      chart_with({{"a", {{.x = 0, .y = 1}, {.x = 1, .y = 50}, {.x = 2, .y = 2, .error = 9}}}});
  chart.y.range = {0.0, 4.0};
  const auto svg = checked_svg(chart);
  EXPECT_EQ(dots_of(svg, 0).size(), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("a, 50")));
}

TEST(LineChart, ChartWithoutSeriesIsEmptyFrame) {
  EXPECT_THAT(checked_svg(chart_with({})), HasSubstr(">Bound</text>"));
  EXPECT_TRUE(dots_of(checked_svg(chart_with({{"a", {{.x = 0, .y = kMissing}}}})), 0).empty());
}

}  // namespace
}  // namespace projnce::report
