#include "projnce/eval/data_issues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <vector>

#include "projnce/core/threads.h"
#include "tests/support/error_message.h"

namespace projnce::eval {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;

constexpr int64_t kRows = 300;
constexpr int64_t kDimensions = 8;

/// Three separated clusters of normally distributed rows, with labels 0, 1, 2, 0, ...
IssueRows clusters(double spread = 0.3) {
  torch::manual_seed(5);
  const auto labels = torch::arange(kRows) % 3;
  auto rows = spread * torch::randn({kRows, kDimensions}, torch::kDouble);
  for (int64_t i = 0; i < kRows; ++i) rows[i][i % 3] += 3.0;
  return {.embeddings = rows, .labels = labels, .likely = labels.clone(), .num_classes = 3};
}

std::vector<int64_t> flagged(const std::vector<bool>& flags) {
  std::vector<int64_t> rows;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) rows.push_back(static_cast<int64_t>(i));
  }
  return rows;
}

TEST(DataIssuesTest, CleanRowsHaveFewIssues) {
  const auto issues = find_data_issues(clusters());
  EXPECT_LE(flagged(issues.is_near_duplicate).size(), 4u);
  EXPECT_LE(flagged(issues.is_outlier).size(), 3u);
  EXPECT_TRUE(flagged(issues.is_ambiguous).empty());
  EXPECT_TRUE(flagged(issues.is_leaked).empty());
  EXPECT_TRUE(issues.overlaps.empty() || !issues.overlaps.front().is_issue);
  EXPECT_NEAR(issues.intrinsic_dimension, kDimensions, 3);
}

TEST(DataIssuesTest, NearDuplicatesFormSetsAndMayConflict) {
  auto rows = clusters();
  rows.embeddings[10] = rows.embeddings[40] + 1e-3;
  rows.embeddings[70] = rows.embeddings[40];
  rows.embeddings[11] = rows.embeddings[23];
  rows.labels[70] = 2;  // 10 and 40 have the label 1
  const auto issues = find_data_issues(rows);
  for (const size_t row : {10, 40, 70}) {
    EXPECT_TRUE(issues.is_near_duplicate[row]);
    EXPECT_TRUE(issues.is_conflicting[row]);
    EXPECT_EQ(issues.near_duplicate_of[row], 10);
    EXPECT_LT(issues.near_duplicate_score[row], 0.01);
  }
  EXPECT_EQ(issues.near_duplicate_of[23], 11);
  EXPECT_FALSE(issues.is_conflicting[23]);
  EXPECT_EQ(issues.near_duplicate_score[23], 0);
  EXPECT_EQ(issues.near_duplicate_of[0], -1);
}

TEST(DataIssuesTest, TestRowsNearTrainingRowsAreLeaked) {
  auto rows = clusters();
  rows.is_test.assign(kRows, false);
  for (const size_t row : {3, 6, 9}) rows.is_test[row] = true;
  rows.embeddings[3] = rows.embeddings[30];
  rows.embeddings[6] = rows.embeddings[9];  // both are test rows
  const auto leaked = flagged(find_data_issues(rows).is_leaked);
  EXPECT_TRUE(std::count(leaked.begin(), leaked.end(), 3));
  for (const int64_t row : {6, 9, 30}) EXPECT_FALSE(std::count(leaked.begin(), leaked.end(), row));
}

TEST(DataIssuesTest, OutliersAreFarFromEverything) {
  auto rows = clusters();
  rows.embeddings[17] = torch::full({kDimensions}, -4.0, torch::kDouble);
  const auto issues = find_data_issues(rows);
  EXPECT_TRUE(issues.is_outlier[17]);
  const auto& scores = issues.outlier_score;
  EXPECT_EQ(std::min_element(scores.begin(), scores.end()) - scores.begin(), 17);
}

TEST(DataIssuesTest, RowsBetweenTwoClassesAreAmbiguous) {
  auto rows = clusters(1.0);
  for (int64_t i = 0; i < kRows; ++i) {
    if (i % 3 == 1) rows.embeddings[i][0] += 1.5;  // classes 0 and 1 touch
    if (i % 3 == 1) rows.embeddings[i][1] -= 1.5;
    if (i % 3 == 2) rows.embeddings[i][2] += 20.0;
  }
  rows.embeddings[5] = torch::zeros({kDimensions}, torch::kDouble);
  rows.embeddings[5][0] = 2.25;
  rows.embeddings[5][1] = 0.75;  // between both
  const auto issues = find_data_issues(rows);
  EXPECT_TRUE(issues.is_ambiguous[5]);
  EXPECT_TRUE(issues.second_label[5] == 0 || issues.second_label[5] == 1);
  for (const int64_t row : flagged(issues.is_ambiguous)) EXPECT_TRUE(row == 5 || row % 3 != 2);
  EXPECT_EQ(issues.overlaps.front().first, 0);
  EXPECT_EQ(issues.overlaps.front().second, 1);
}

TEST(DataIssuesTest, ClassesWithExchangedLabelsOverlapCompletely) {
  auto rows = clusters();
  for (int64_t i = 0; i < kRows; ++i) {
    if (i % 3 == 2) continue;
    rows.labels[i] = (i / 3) % 2;  // 0 and 1 at random
    rows.likely[i] = (i / 3) % 2;
  }
  const auto overlaps = find_data_issues(rows).overlaps;
  ASSERT_FALSE(overlaps.empty());
  EXPECT_TRUE(overlaps.front().is_issue);
  EXPECT_GT(overlaps.front().overlap, 0.9);
  EXPECT_TRUE(overlaps.size() == 1 || !overlaps[1].is_issue);
}

TEST(DataIssuesTest, GroupsWithWrongLabelsAreWeak) {
  auto rows = clusters();
  for (int64_t i = 0; i < kRows; ++i) rows.groups.push_back(i / 60);
  for (int64_t i = 60; i < 120; i += 2) rows.labels[i] = (i + 1) % 3;
  const auto issues = find_data_issues(rows);
  ASSERT_EQ(issues.groups.size(), 5u);
  for (size_t g = 0; g < 5; ++g) EXPECT_EQ(issues.groups[g].is_issue, g == 1);
  EXPECT_NEAR(issues.groups[1].accuracy, 0.5, 0.1);
  EXPECT_EQ(flagged(issues.in_weak_group).size(), 60u);
  EXPECT_EQ(flagged(issues.in_weak_group).front(), 60);
}

TEST(DataIssuesTest, UnitsOriginAndThreadsDoNotMatter) {
  const auto rows = clusters();
  auto moved = clusters();
  moved.embeddings = moved.embeddings * 8 + 64;
  set_threads(1);
  const auto expected = find_data_issues(rows);
  set_threads(3);
  EXPECT_EQ(find_data_issues(rows).outlier_score, expected.outlier_score);
  const auto issues = find_data_issues(moved);
  EXPECT_EQ(issues.is_near_duplicate, expected.is_near_duplicate);
  EXPECT_EQ(issues.is_outlier, expected.is_outlier);
  EXPECT_EQ(issues.ambiguity_score, expected.ambiguity_score);
}

TEST(DataIssuesTest, FewRowsAreRejectedAndEqualRowsAreDuplicates) {
  const auto zeros = [](int64_t count) {
    return IssueRows{.embeddings = torch::zeros({count, 2}),
                     .labels = torch::zeros({count}, torch::kLong),
                     .likely = torch::zeros({count}, torch::kLong),
                     .num_classes = 1};
  };
  EXPECT_THAT(error_message_of([&] { find_data_issues(zeros(2)); }), HasSubstr("at least 3 rows"));
  const auto issues = find_data_issues(zeros(5));
  EXPECT_EQ(flagged(issues.is_near_duplicate).size(), 5u);
  EXPECT_TRUE(flagged(issues.is_outlier).empty());
}

}  // namespace
}  // namespace projnce::eval
