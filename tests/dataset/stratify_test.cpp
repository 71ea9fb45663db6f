
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "projnce/dataset/labels.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "tests/support/fake_dataset.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 60, 30 and 10 samples of three classes.
DatasetPtr uneven_dataset() {
  std::vector<int64_t> labels(60, 0);
  labels.insert(labels.end(), 30, 1);
  labels.insert(labels.end(), 10, 2);
  return testing::fake_dataset(labels);
}

std::vector<int64_t> counts_of(const std::vector<int64_t>& indices) {
  return class_counts(SubsetDataset(uneven_dataset(), indices));
}

TEST(StratifiedSubset, KeepsTheProportions) {
  EXPECT_THAT(counts_of(stratified_subset(*uneven_dataset(), 20, 1)), ElementsAre(12, 6, 2));
  EXPECT_THAT(counts_of(stratified_subset(*uneven_dataset(), 3, 1)), ElementsAre(1, 1, 1));
  EXPECT_THAT(counts_of(stratified_subset(*uneven_dataset(), 500, 1)), ElementsAre(60, 30, 10));
}

TEST(StratifiedSubset, DependsOnlyOnTheSeed) {
  const auto first = stratified_subset(*uneven_dataset(), 20, 1);
  EXPECT_EQ(stratified_subset(*uneven_dataset(), 20, 1), first);
  EXPECT_NE(stratified_subset(*uneven_dataset(), 20, 2), first);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
}

TEST(StratifiedSubset, SubsetsAreNested) {
  const auto small = stratified_subset(*uneven_dataset(), 20, 1);
  const auto large = stratified_subset(*uneven_dataset(), 47, 1);
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

TEST(StratifiedSplit, SplitsEachClassWithoutOverlap) {
  const auto split = stratified_split(labels_of(*uneven_dataset()), 0.2, 1);
  EXPECT_THAT(counts_of(split.test), ElementsAre(12, 6, 2));
  EXPECT_THAT(counts_of(split.train), ElementsAre(48, 24, 8));
  std::vector<int64_t> both;
  std::set_intersection(split.train.begin(), split.train.end(), split.test.begin(),
                        split.test.end(), std::back_inserter(both));
  EXPECT_THAT(both, IsEmpty());
}

TEST(StratifiedSplit, SmallClassesFillTrainingFirst) {
  const auto dataset = testing::fake_dataset({0, 1, 1, 2, 2, 2});
  const auto rarely = stratified_split(labels_of(*dataset), 0.01, 1);
  EXPECT_THAT(class_counts(SubsetDataset(dataset, rarely.test)), ElementsAre(0, 1, 1));
  const auto mostly = stratified_split(labels_of(*dataset), 0.9, 1);
  EXPECT_THAT(class_counts(SubsetDataset(dataset, mostly.train)), ElementsAre(1, 1, 1));
}

TEST(FractionOfEachClass, KeepsTheFractionAndAtLeastOne) {
  std::vector<int64_t> labels(100, 0);
  labels.insert(labels.end(), 10, 1);
  labels.push_back(2);
  const auto dataset = testing::fake_dataset(labels);
  const auto kept = fraction_of_each_class(*dataset, 0.2, 5);
  std::vector<int64_t> counts(3);
  for (const int64_t index : kept) ++counts[static_cast<size_t>(dataset->label(index))];
  EXPECT_EQ(counts, (std::vector<int64_t>{20, 2, 1}));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(kept, fraction_of_each_class(*dataset, 0.2, 5));
  EXPECT_NE(kept, fraction_of_each_class(*dataset, 0.2, 6));
}

TEST(LongTailedSubset, DecaysExponentially) {
  std::vector<int64_t> labels;
  for (int64_t c = 0; c < 3; ++c) labels.insert(labels.end(), 100, c);
  const auto dataset = testing::fake_dataset(labels);
  std::vector<int64_t> counts(3);
  for (const int64_t index : long_tailed_subset(*dataset, 0.01, 5)) {
    ++counts[static_cast<size_t>(dataset->label(index))];
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{100, 10, 1}));
  EXPECT_EQ(long_tailed_subset(*dataset, 1, 5).size(), 300U);
}

}  // namespace
}  // namespace projnce::dataset
