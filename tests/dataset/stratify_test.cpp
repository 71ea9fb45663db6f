#include "projnce/dataset/stratify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "projnce/dataset/labels.h"
#include "projnce/dataset/subset.h"
#include "tests/support/fake_dataset.h"

namespace projnce {
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

TEST(StratifiedSubset, DependsOnTheSeedAlone) {
  const auto first = stratified_subset(*uneven_dataset(), 20, 1);
  EXPECT_EQ(stratified_subset(*uneven_dataset(), 20, 1), first);
  EXPECT_NE(stratified_subset(*uneven_dataset(), 20, 2), first);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
}

TEST(StratifiedSubset, ALargerOneHoldsTheSmaller) {
  const auto small = stratified_subset(*uneven_dataset(), 20, 1);
  const auto large = stratified_subset(*uneven_dataset(), 47, 1);
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

TEST(StratifiedSplit, DividesEachClassWithoutOverlap) {
  const auto split = stratified_split(*uneven_dataset(), 0.2, 1);
  EXPECT_THAT(counts_of(split.test), ElementsAre(12, 6, 2));
  EXPECT_THAT(counts_of(split.train), ElementsAre(48, 24, 8));
  std::vector<int64_t> both;
  std::set_intersection(split.train.begin(), split.train.end(), split.test.begin(),
                        split.test.end(), std::back_inserter(both));
  EXPECT_THAT(both, IsEmpty());
}

TEST(StratifiedSplit, SmallClassesTrainFirstAndTestSecond) {
  const auto dataset = testing::fake_dataset({0, 1, 1, 2, 2, 2});
  const auto rarely = stratified_split(*dataset, 0.01, 1);
  EXPECT_THAT(class_counts(SubsetDataset(dataset, rarely.test)), ElementsAre(0, 1, 1));
  const auto mostly = stratified_split(*dataset, 0.9, 1);
  EXPECT_THAT(class_counts(SubsetDataset(dataset, mostly.train)), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace projnce
