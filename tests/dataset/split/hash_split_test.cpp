#include "projnce/dataset/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "projnce/core/error.h"

namespace projnce::dataset {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Identities and labels of test samples.
struct Samples {
  std::vector<SampleId> ids;
  std::vector<int64_t> labels;

  void add(const std::string& content, int64_t label) {
    ids.push_back(hash_id(std::string_view(content)));
    labels.push_back(label);
  }
  void remove(size_t index) {
    ids.erase(ids.begin() + static_cast<int64_t>(index));
    labels.erase(labels.begin() + static_cast<int64_t>(index));
  }
  SplitIndices split(const HashSplitOptions& options = {}) const {
    return hash_split(ids, labels, options);
  }
  std::set<SampleId> test_ids(const HashSplitOptions& options = {}) const {
    std::set<SampleId> found;
    for (const int64_t i : split(options).test) found.insert(ids[static_cast<size_t>(i)]);
    return found;
  }
  std::vector<int64_t> test_counts(int64_t classes) const {
    std::vector<int64_t> counts(static_cast<size_t>(classes));
    for (const int64_t i : split().test) ++counts[static_cast<size_t>(labels[size_t(i)])];
    return counts;
  }
};

Samples many(int count, int64_t classes) {
  Samples samples;
  for (int i = 0; i < count; ++i) samples.add(concat("sample ", i), i % classes);
  return samples;
}

/// Number of samples that are in different splits in `before` and `after`.
size_t count_moved(const Samples& before, const Samples& after) {
  const auto old_test = before.test_ids();
  const auto new_test = after.test_ids();
  const std::set<SampleId> still(after.ids.begin(), after.ids.end());
  return static_cast<size_t>(
      std::count_if(before.ids.begin(), before.ids.end(), [&](const SampleId& id) {
        return still.contains(id) && old_test.contains(id) != new_test.contains(id);
      }));
}

TEST(HashSplit, FractionsAreCloseToTheRequestedOnes) {
  const auto samples = many(20'000, 10);
  for (const double fraction : {0.05, 0.2, 0.5}) {
    const auto split = samples.split({.test_fraction = fraction});
    EXPECT_EQ(split.train.size() + split.test.size(), 20'000U);
    EXPECT_NEAR(double(split.test.size()) / 20'000, fraction, 0.015);
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
    EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
  }
  for (const int64_t count : samples.test_counts(10)) EXPECT_NEAR(double(count), 400, 100);
}

TEST(HashSplit, NoSampleMovesIfATenthIsRelabeledRemovedOrAdded) {
  const auto before = many(1000, 5);
  auto relabeled = before;
  for (size_t i = 0; i < 1000; i += 10) relabeled.labels[i] = (relabeled.labels[i] + 1) % 5;
  EXPECT_EQ(count_moved(before, relabeled), 0U);
  auto smaller = before;
  for (int i = 0; i < 100; ++i) smaller.remove(static_cast<size_t>(9 * i));
  EXPECT_EQ(count_moved(before, smaller), 0U);
  auto larger = before;
  for (int i = 0; i < 100; ++i) larger.add(concat("new ", i), i % 5);
  EXPECT_EQ(count_moved(before, larger), 0U);
  auto reversed = before;
  std::reverse(reversed.ids.begin(), reversed.ids.end());
  std::reverse(reversed.labels.begin(), reversed.labels.end());
  EXPECT_EQ(count_moved(before, reversed), 0U);
}

TEST(HashSplit, FewSamplesOfTinyClassesMove) {
  // 40 classes of 5: a third of them would have no test sample without the correction.
  const auto before = many(200, 40);
  auto relabeled = before;
  for (size_t i = 0; i < 200; i += 10) relabeled.labels[i] = (relabeled.labels[i] + 1) % 40;
  EXPECT_LE(count_moved(before, relabeled), 4U) << "2 % of all";
}

TEST(HashSplit, SplitsDependOnTheSeedAndAreNestedInTheFraction) {
  const auto samples = many(500, 2);
  EXPECT_EQ(samples.test_ids({.seed = 3}), samples.test_ids({.seed = 3}));
  EXPECT_NE(samples.test_ids({.seed = 3}), samples.test_ids({.seed = 4}));
  const auto small = samples.test_ids({.test_fraction = 0.1});
  const auto large = samples.test_ids({.test_fraction = 0.3});
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

TEST(HashSplit, DuplicatesAreInTheSameSplit) {
  auto samples = many(300, 3);
  for (int i = 0; i < 300; ++i) samples.add(concat("sample ", i), (i + i / 3) % 3);
  const auto split = samples.split();
  std::set<SampleId> trained;
  for (const int64_t i : split.train) trained.insert(samples.ids[static_cast<size_t>(i)]);
  for (const int64_t i : split.test) {
    EXPECT_FALSE(trained.contains(samples.ids[static_cast<size_t>(i)]));
  }
}

TEST(HashSplit, ClassesOfTwoAreInBothSplitsAndSingletonsInTraining) {
  Samples pairs;
  for (int c = 0; c < 50; ++c) {
    pairs.add(concat("first of ", c), c);
    pairs.add(concat("second of ", c), c);
  }
  EXPECT_THAT(pairs.test_counts(50), Each(1));
  Samples single;
  for (int c = 0; c < 50; ++c) single.add(concat("only one of ", c), c);
  EXPECT_THAT(single.split().test, IsEmpty());
  EXPECT_THAT(Samples{}.split().train, IsEmpty());
}

TEST(HashSplit, DuplicatesInOtherClassesAreNotMovedToTest) {
  Samples samples;
  for (int i = 0; i < 6; ++i) {  // the same six samples in both classes
    samples.add(concat("shared ", i), 0);
    samples.add(concat("shared ", i), 1);
  }
  EXPECT_THAT(samples.split({.test_fraction = 1e-9}).test, IsEmpty());
  samples.add("own", 1);
  EXPECT_THAT(samples.split({.test_fraction = 1e-9}).test, ElementsAre(12));
}

TEST(HashSplit, KeptSamplesAreNeverInTheTestSplit) {
  const auto samples = many(200, 40);
  SampleIdSet keep;
  for (const int64_t i : samples.split().train) keep.insert(samples.ids[static_cast<size_t>(i)]);
  auto changed = samples;
  for (size_t i = 0; i < 200; i += 7) changed.labels[i] = (changed.labels[i] + 1) % 40;
  for (int i = 0; i < 30; ++i) changed.remove(static_cast<size_t>(5 * i));
  for (const auto& id : changed.test_ids({.keep_in_train = &keep})) {
    EXPECT_FALSE(keep.contains(id));
  }
  EXPECT_EQ(samples.test_ids({.keep_in_train = &keep}), samples.test_ids())
      << "the same data gives the same split";
}

TEST(HashSplit, PositionsAreStable) {
  // Stored runs depend on them: another function would move samples between splits.
  EXPECT_DOUBLE_EQ(split_position({.high = 1, .low = 2}, 0), 0.9568397605576134);
  EXPECT_DOUBLE_EQ(split_position({.high = 1, .low = 2}, 5), 0.9566583729383299);
}

}  // namespace
}  // namespace projnce::dataset
