#include "projnce/report/map/map_labels.h"

#include <gtest/gtest.h>

#include "projnce/core/error.h"

namespace projnce::report {
namespace {

std::vector<LegendEntry> entries(size_t count, const std::string& name = "class ") {
  std::vector<LegendEntry> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back({i, concat(name, i), static_cast<int64_t>(i * 100)});
  }
  return result;
}

Legend legend_of(std::vector<LegendEntry> list) {
  return lay_out_legend(std::move(list), {100, 50}, 800);
}

/// Checks that texts are inside their boxes and boxes do not overlap.
void expect_no_overlaps(const Legend& legend) {
  for (size_t i = 0; i < legend.lines.size(); ++i) {
    const auto& line = legend.lines[i];
    const double name_end = line.name.x + text_width(line.name_text, legend.font);
    const double count_start = line.count.x - text_width(line.count_text, legend.font);
    EXPECT_LE(name_end, line.count_text.empty() ? line.box.right() : count_start - 5) << i;
    EXPECT_LE(line.dot.x + legend.dot_radius, line.name.x) << i;
    EXPECT_LE(line.count.x, line.box.right()) << i;
    EXPECT_LE(line.box.right(), legend.box.right() + 1e-6) << i;
    EXPECT_LE(line.box.bottom(), legend.box.bottom() + 1e-6) << i;
    EXPECT_GE(line.box.height, legend.font.size * 1.3) << i;
    for (size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(line.box.overlaps(legend.lines[j].box)) << i << " and " << j;
    }
  }
}

TEST(Legend, FewClassesAreOneColumnWithCounts) {
  const auto legend = legend_of(entries(10));
  ASSERT_EQ(legend.lines.size(), 10U);
  expect_no_overlaps(legend);
  EXPECT_EQ(legend.lines[3].name_text, "class 3");
  EXPECT_EQ(legend.lines[3].count_text, "300");
  for (const auto& line : legend.lines) EXPECT_EQ(line.box.left, 100);
  EXPECT_TRUE(legend.more.empty());
}

TEST(Legend, HundredClassesUseColumnsOfSmallText) {
  const auto legend = legend_of(entries(100));
  ASSERT_EQ(legend.lines.size(), 100U);
  expect_no_overlaps(legend);
  EXPECT_LE(legend.box.height, 800);
  EXPECT_LT(legend.font.size, legend_of(entries(10)).font.size);
  EXPECT_TRUE(legend.lines[0].count_text.empty());
  EXPECT_GT(legend.lines[99].box.left, legend.lines[0].box.right());
}

TEST(Legend, LongNamesAreShortened) {
  for (const size_t count : {2, 20, 100, 200}) {
    const auto legend = legend_of(entries(count, std::string(100, 'm')));
    expect_no_overlaps(legend);
    EXPECT_TRUE(legend.lines[0].name_text.ends_with("…"));
    EXPECT_LT(legend.box.width, 650) << count;
  }
}

TEST(Legend, ListsLargestOfVeryManyClasses) {
  const auto legend = legend_of(entries(250));
  ASSERT_EQ(legend.lines.size(), kLegendClasses);
  expect_no_overlaps(legend);
  EXPECT_EQ(legend.lines.front().number, 50U);
  EXPECT_EQ(legend.lines.back().number, 249U);
  EXPECT_EQ(legend.more, "and 50 more classes");
  EXPECT_GT(legend.more_at.y, legend.lines.back().box.bottom());
  EXPECT_LE(legend.more_at.y, legend.box.bottom());
}

}  // namespace
}  // namespace projnce::report
