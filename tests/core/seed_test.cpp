#include "projnce/core/seed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace projnce {
namespace {

TEST(Seed, StreamAndCounterFormAgree) {
  Random random(42);
  for (uint64_t t = 1; t < 5; ++t) EXPECT_EQ(random.uniform(), uniform_at(42, t));
}

TEST(Seed, DerivedSeedsDependOnEveryArgument) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t epoch = 0; epoch < 10; ++epoch) {
      for (uint64_t index = 0; index < 10; ++index) seen.insert(derive_seed(seed, epoch, index));
    }
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Seed, BelowIsUniform) {
  Random random(1);
  int counts[5] = {};
  for (int i = 0; i < 5000; ++i) ++counts[random.below(5)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(Seed, NormalNumbersHaveNormalMomentsAndTails) {
  constexpr int kPairs = 50'000;
  Random random(3);
  double moments[5] = {};
  double product = 0;
  int beyond_two = 0;
  for (int i = 0; i < kPairs; ++i) {
    const auto [a, b] = random.normal_pair();
    product += a * b;
    for (const double x : {a, b}) {
      for (int k = 1; k < 5; ++k) moments[k] += std::pow(x, k) / (2 * kPairs);
      beyond_two += std::abs(x) > 2 ? 1 : 0;
    }
  }
  EXPECT_NEAR(moments[1], 0, 0.015);
  EXPECT_NEAR(moments[2], 1, 0.02);
  EXPECT_NEAR(moments[3], 0, 0.06);
  EXPECT_NEAR(moments[4], 3, 0.15);
  EXPECT_NEAR(product / kPairs, 0, 0.02);
  EXPECT_NEAR(beyond_two / (2.0 * kPairs), 0.0455, 0.003);
}

TEST(Seed, NormalConsumesTwoDraws) {
  Random random(5);
  Random other(5);
  EXPECT_EQ(random.normal(), other.normal_pair().first);
  EXPECT_EQ(random.next(), other.next());
  EXPECT_EQ(random.next(), mix64(5 + 4 * kGoldenGamma));
}

}  // namespace
}  // namespace projnce
