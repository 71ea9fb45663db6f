#include "projnce/eval/nearest_neighbors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <limits>

#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace eval;

using ::testing::HasSubstr;

torch::Tensor normal_rows(int64_t count, int64_t dim, uint64_t seed) {
  torch::manual_seed(seed);
  return torch::randn({count, dim});
}

TEST(NearestNeighbors, FindsRowsOnALine) {
  const auto x = torch::tensor({{0.0}, {1.0}, {3.0}, {3.5}}, torch::kFloat64);
  const auto found = nearest_neighbors(
      x, x, {.neighbors = 2, .similarity = kernel::Similarity::kDistance, .exclude_self = true});
  EXPECT_TRUE(torch::equal(found.indices, torch::tensor({{1, 2}, {0, 2}, {3, 1}, {2, 1}})));
  EXPECT_TRUE(torch::equal(
      found.scores,
      torch::tensor({{1.0, 3.0}, {1.0, 2.0}, {0.5, 2.0}, {0.5, 2.5}}, torch::kFloat64)));
}

TEST(NearestNeighbors, KernelsMatchOperators) {
  for (const auto similarity : {kernel::Similarity::kDotProduct, kernel::Similarity::kDistance}) {
    for (const bool exclude_self : {false, true}) {
      const auto references = normal_rows(700, 20, 1);
      const auto queries = references.narrow(0, 0, 530);
      const NearestNeighborsOptions options{
          .neighbors = 30, .similarity = similarity, .exclude_self = exclude_self};
      const auto fast = nearest_neighbors(queries, references, options);
      const auto plain = nearest_neighbors_by_operators(queries, references, options);
      EXPECT_TRUE(torch::allclose(fast.scores, plain.scores, 1e-5, 1e-5));
      // Rounding may swap neighbors with nearly equal scores.
      EXPECT_GT((fast.indices == plain.indices).to(torch::kFloat64).mean().item<double>(), 0.99);
    }
  }
}

TEST(NearestNeighbors, KeepsTheTypeAndSupportsAnyStrides) {
  const auto references = normal_rows(16, 50, 2).t().to(torch::kFloat64);  // [50, 16]
  const auto found = nearest_neighbors(references.narrow(0, 3, 5), references, {.neighbors = 50});
  EXPECT_EQ(found.scores.scalar_type(), torch::kFloat64);
  EXPECT_EQ(found.indices.sizes(), (std::vector<int64_t>{5, 50}));
  EXPECT_FALSE(nearest_neighbors(references.clone().requires_grad_(), references, {})
                   .scores.requires_grad());
}

TEST(NearestNeighbors, RejectsInvalidArguments) {
  auto x = normal_rows(5, 3, 3);
  EXPECT_THAT(error_message_of([&] { nearest_neighbors(x, x, {.neighbors = 6}); }),
              HasSubstr("neighbors = 6, expected 1 to the 5"));
  EXPECT_THAT(
      error_message_of([&] { nearest_neighbors(x, x, {.neighbors = 5, .exclude_self = true}); }),
      HasSubstr("neighbors = 5, expected 1 to the 4"));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), 1e30F}) {
    x[2][1] = bad;
    EXPECT_THAT(error_message_of([&] { nearest_neighbors(x, x, {}); }), HasSubstr("query"));
  }
}

}  // namespace
}  // namespace projnce::testing
