#include "projnce/core/seed.h"

#include <gtest/gtest.h>

#include <set>

namespace projnce {
namespace {

TEST(Seed, StreamAndCounterFormAgree) {
  Random random(42);
  for (uint64_t t = 1; t < 5; ++t) EXPECT_EQ(random.uniform(), uniform_at(42, t));
}

TEST(Seed, DerivedSeedsDifferInEveryArgument) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t epoch = 0; epoch < 10; ++epoch) {
      for (uint64_t index = 0; index < 10; ++index) seen.insert(derive_seed(seed, epoch, index));
    }
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Seed, BelowCoversItsRangeEvenly) {
  Random random(1);
  int counts[5] = {};
  for (int i = 0; i < 5000; ++i) ++counts[random.below(5)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
}

}  // namespace
}  // namespace projnce
