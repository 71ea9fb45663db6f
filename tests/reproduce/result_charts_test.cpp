#include "projnce/reproduce/result_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "projnce/report/chart/canvas.h"
#include "tests/report/well_formed.h"
#include "tests/reproduce/made_result.h"

namespace projnce::reproduce {
namespace {

using testing::absent_cell;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::made_cell;
using testing::made_result;
using ::testing::Not;

std::vector<std::string> files_of(const std::vector<ResultImage>& images) {
  std::vector<std::string> files;
  for (const auto& image : images) {
    files.push_back(image.file);
    EXPECT_EQ(testing::markup_problem(image.svg), "") << image.file;
  }
  return files;
}

size_t count_of(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++count;
  return count;
}

/// Result with one table of these columns and cells.
Result two_methods(std::vector<ResultColumn> columns, std::vector<std::vector<ResultCell>> cells) {
  auto result = made_result();
  auto& table = result.tables.front();
  table.columns = std::move(columns);
  table.rows.resize(cells.size());
  table.cells = std::move(cells);
  return result;
}

TEST(ResultCharts, DrawsDatasetsWithOneConditionSideBySide) {
  const auto images = result_charts(made_result());
  ASSERT_THAT(files_of(images), ElementsAre("table4-centroid.svg"));
  EXPECT_EQ(images[0].title, "Wrong labels: Accuracy by nearest centroid");
  const auto& svg = images[0].svg;
  EXPECT_THAT(svg, AllOf(HasSubstr(">STL10</text>"), HasSubstr(">CIFAR-10</text>"),
                         HasSubstr(">&lt;b&gt;|x</text>"),
                         HasSubstr("<title>SimCLR, STL10: 36.9 ± 0.4</title>"),
                         HasSubstr("SimCLR, in the paper: 74.4"), Not(HasSubstr("<b>"))));
  EXPECT_EQ(count_of(svg, "h0"), 4U + 1U) << "a mean for each cell with runs, one in the legend";
  EXPECT_EQ(count_of(svg, "<polyline"), 3U) << "an error bar for each cell with several runs";
}

TEST(ResultCharts, SkipsColumnsWithoutRuns) {
  auto result = made_result();
  for (auto& row : result.tables.front().cells) row[1].runs.clear();
  const auto images = result_charts(result);
  ASSERT_THAT(files_of(images), ElementsAre("table4-centroid-stl10.svg"));
  EXPECT_EQ(images[0].title, "STL10: Accuracy by nearest centroid");
  for (auto& row : result.tables.front().cells) row[0].runs.clear();
  EXPECT_TRUE(result_charts(result).empty());
}

TEST(ResultCharts, DrawsConditionsOfADatasetAsCurves) {
  auto result = two_methods(
      {{"stl10", "clean", "STL10, small, clean", {}},
       {"stl10", "noise-10", "STL10, small, 10 % wrong labels", {}},
       {"stl10", "noise-40", "STL10, small, 40 % wrong labels", {}},
       {"mnist", "clean", "MNIST, clean", {}}},
      {{made_cell("a", {0.5, 0.6}, 0.7), made_cell("b", {0.5, 0.6}, 0.6),
        made_cell("c", {0.3, 0.4}), made_cell("d", {0.9})},
       {made_cell("e", {0.5}), absent_cell("why"), made_cell("f", {0.2}), absent_cell("why")}});
  const auto images = result_charts(result);
  ASSERT_THAT(files_of(images),
              ElementsAre("table4-centroid-stl10.svg", "table4-centroid-mnist.svg"));
  EXPECT_EQ(images[0].title, "STL10, small: Accuracy by nearest centroid");
  const auto& svg = images[0].svg;
  EXPECT_THAT(svg, AllOf(HasSubstr(">clean</text>"), HasSubstr(">10 %</text>"),
                         HasSubstr(">40 %</text>"), HasSubstr(">wrong labels</text>"),
                         HasSubstr("SimCLR, STL10, small, 40 % wrong labels: 35.0 ± 7.1")));
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 1U) << "two published values";
  EXPECT_EQ(count_of(svg, "<polyline"), 1U + 1U + 3U + 2U)
      << "the paper, the method without a gap, its error bars, the legend";
}

TEST(ResultCharts, DrawsRowsOfASeriesAsCurvesOverX) {
  auto result = two_methods({{"cifar10", "clean", "CIFAR-10", {}}, {"stl10", "a", "STL10", {}}},
                            {{made_cell("a", {0.5}), absent_cell("")},
                             {made_cell("b", {0.4}), absent_cell("")},
                             {made_cell("c", {0.3}), absent_cell("")}});
  result.axis = "bandwidth <h>";
  auto& rows = result.tables.front().rows;
  rows = {{"a", "A", "l1", 0.7}, {"b", "B", "l1", 0.1}, {"c", "C", "l2", 0.1}};
  const auto images = result_charts(result);
  ASSERT_THAT(files_of(images), ElementsAre("table4-centroid-cifar10.svg"));
  const auto& svg = images[0].svg;
  EXPECT_THAT(
      svg,
      AllOf(HasSubstr(">0.1</text>"), HasSubstr(">0.7</text>"), HasSubstr(">l1</text>"),
            HasSubstr(">l2</text>"), HasSubstr(">bandwidth &lt;h&gt;</text>"),
            HasSubstr(">percent</text>"), HasSubstr(">one seed</text>"), Not(HasSubstr("mean ±")),
            HasSubstr(report::hex(report::class_colors(2)[1])), Not(HasSubstr("in the paper"))));
}

TEST(ResultCharts, SkipsNonFiniteValues) {
  auto result = made_result();
  result.tables.front().cells[0][0].runs[0].value = std::numeric_limits<double>::quiet_NaN();
  result.tables.front().cells[2][0].runs[0].value = std::numeric_limits<double>::infinity();
  const auto images = result_charts(result);
  ASSERT_EQ(files_of(images).size(), 1U);
  EXPECT_EQ(count_of(images[0].svg, "h0"), 2U + 1U);
}

TEST(SpreadPlaces, AvoidsOverlap) {
  const auto places = [](std::vector<double> values) { return spread_places(values); };
  const auto third = DoubleNear(1.0 / 3, 1e-9);
  const auto quarter = DoubleNear(0.25, 1e-9);
  const auto three_quarters = DoubleNear(0.75, 1e-9);
  const auto two_thirds = DoubleNear(2.0 / 3, 1e-9);
  EXPECT_THAT(places({7}), ElementsAre(0.5));
  EXPECT_THAT(places({0, 1, 4}), ElementsAre(0, 0.25, 1)) << "by value";
  EXPECT_THAT(places({0.01, 0.1, 10, 100}), ElementsAre(0, quarter, three_quarters, 1))
      << "by logarithm";
  EXPECT_THAT(places({0, 0.01, 0.1, 10}), ElementsAre(0, third, two_thirds, 1)) << "equal steps";
}

}  // namespace
}  // namespace projnce::reproduce
