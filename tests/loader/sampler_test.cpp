#include "projnce/loader/loaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/memory_dataset.h"

namespace projnce::loader {
namespace {

using testing::uneven_dataset;

std::vector<int64_t> sorted(std::vector<int64_t> order) {
  std::sort(order.begin(), order.end());
  return order;
}

TEST(ShuffledSampler, VisitsEverySampleOnceInADifferentOrderPerEpoch) {
  const ShuffledSampler sampler(100, 1);
  const auto first = sampler.epoch_order(0);
  const auto second = sampler.epoch_order(1);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, sampler.epoch_order(0));
  EXPECT_NE(first, ShuffledSampler(100, 2).epoch_order(0));
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(sorted(first)[static_cast<size_t>(i)], i);
    EXPECT_EQ(sorted(second)[static_cast<size_t>(i)], i);
  }
}

TEST(ShuffledSampler, IsUniformOverPositions) {
  constexpr int64_t kEpochs = 3000;
  const ShuffledSampler sampler(5, 3);
  std::map<int64_t, int> first;
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) ++first[sampler.epoch_order(epoch)[0]];
  for (int64_t i = 0; i < 5; ++i) EXPECT_NEAR(first[i], kEpochs / 5, 100);
}

/// Largest difference between the counts of two classes in any batch.
int64_t worst_imbalance(const dataset::Dataset& dataset, const std::vector<int64_t>& order,
                        size_t batch, const std::vector<int64_t>& classes) {
  int64_t worst = 0;
  for (size_t begin = 0; begin < order.size(); begin += batch) {
    std::map<int64_t, int64_t> counts;
    for (const int64_t c : classes) counts[c] = 0;
    const size_t end = std::min(order.size(), begin + batch);
    for (size_t i = begin; i < end; ++i) ++counts[dataset.label(order[i])];
    const auto [least, most] = std::minmax_element(
        counts.begin(), counts.end(), [](auto a, auto b) { return a.second < b.second; });
    worst = std::max(worst, most->second - least->second);
  }
  return worst;
}

TEST(ClassBalancedSampler, BalancesEveryBatch) {
  const auto dataset = uneven_dataset({30, 7, 19, 1});
  const ClassBalancedSampler sampler(*dataset, 4);
  for (const size_t batch : {2, 4, 6, 7, 16, 33}) {
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      EXPECT_LE(worst_imbalance(*dataset, sampler.epoch_order(epoch), batch, {0, 1, 2, 3}), 1);
    }
  }
}

TEST(ClassBalancedSampler, CoversTheDatasetAndRepeatsSmallClassesEvenly) {
  const auto dataset = uneven_dataset({30, 7, 0, 19});
  const ClassBalancedSampler sampler(*dataset, 5);
  const auto order = sampler.epoch_order(2);
  EXPECT_EQ(sampler.epoch_size(), 90);
  ASSERT_EQ(order.size(), 90U);
  std::map<int64_t, int> seen;
  for (const int64_t index : order) ++seen[index];
  ASSERT_EQ(seen.size(), 56U);
  for (const auto& [index, count] : seen) {
    const int64_t label = dataset->label(index);
    const int least = label == 0 ? 1 : label == 1 ? 4 : 1;
    const int most = label == 0 ? 1 : label == 1 ? 5 : 2;
    EXPECT_GE(count, least) << "sample " << index;
    EXPECT_LE(count, most) << "sample " << index;
  }
}

TEST(ClassBalancedSampler, VisitsEqualClassesOnceInADifferentOrderPerEpoch) {
  const auto dataset = testing::random_dataset(60, 5, 1, 1);
  const ClassBalancedSampler sampler(*dataset, 6);
  const auto order = sampler.epoch_order(0);
  const auto visited = sorted(order);
  EXPECT_EQ(std::adjacent_find(visited.begin(), visited.end()), visited.end());
  EXPECT_EQ(visited.size(), 60U);
  EXPECT_EQ(order, sampler.epoch_order(0));
  EXPECT_NE(order, sampler.epoch_order(1));
}

}  // namespace
}  // namespace projnce::loader
