#include "projnce/report/map/map_labels.h"

#include <gtest/gtest.h>

#include "projnce/core/error.h"

namespace projnce::report {
namespace {

constexpr Box kFrame = {0, 0, 400, 300};
constexpr Font kLabelLetters = {.size = 10};

TEST(ClusterMiddle, IsOneOfThePoints) {
  EXPECT_EQ(cluster_middle({{1, 1}, {2, 2}, {9, 9}}), (Point{2, 2}));
  EXPECT_EQ(cluster_middle({{5, 6}}), (Point{5, 6}));
  // Two clusters whose per-axis medians are far from any point.
  const auto middle = cluster_middle({{0, 10}, {1, 11}, {2, 10}, {10, 0}, {11, 1}, {10, 2}});
  EXPECT_TRUE(middle == (Point{2, 10}) || middle == (Point{10, 2}));
}

TEST(PlaceLabels, SingleLabelIsCentered) {
  const auto labels = place_labels({{7, "bear", {200, 150}}}, kLabelLetters, kFrame);
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0].number, 7U);
  EXPECT_EQ(labels[0].text, "bear");
  EXPECT_EQ(labels[0].at.x, 200);
  EXPECT_TRUE(labels[0].box.contains({200, 150}));
}

TEST(PlaceLabels, LabelsDoNotOverlapAndStayInside) {
  std::vector<ClusterName> names;
  for (size_t i = 0; i < 60; ++i) {
    names.push_back({i,
                     concat("class with a name ", i),
                     {static_cast<double>(i * 37 % 400), static_cast<double>(i * 53 % 300)}});
  }
  const auto labels = place_labels(names, kLabelLetters, kFrame);
  EXPECT_GT(labels.size(), 20U);
  for (size_t i = 0; i < labels.size(); ++i) {
    EXPECT_GE(labels[i].box.left, 0);
    EXPECT_LE(labels[i].box.right(), kFrame.right());
    EXPECT_GE(labels[i].box.top, 0);
    EXPECT_LE(labels[i].box.bottom(), kFrame.bottom());
    EXPECT_GE(labels[i].box.width, text_width(labels[i].text, kLabelLetters));
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(labels[i].box.overlaps(labels[j].box));
  }
}

TEST(PlaceLabels, FirstLabelsWinIfSpaceIsShort) {
  std::vector<ClusterName> names;
  for (size_t i = 0; i < 100; ++i) names.push_back({i, "the same place", {200, 150}});
  const auto labels = place_labels(names, kLabelLetters, kFrame);
  ASSERT_LT(labels.size(), 100U);
  ASSERT_GT(labels.size(), 2U);
  EXPECT_EQ(labels[0].number, 0U);
  EXPECT_EQ(labels[1].number, 1U);
}

}  // namespace
}  // namespace projnce::report
