#include "projnce/eval/tsne/tsne.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/eval/nearest_neighbors.h"
#include "tests/support/error_message.h"

namespace projnce::eval {
namespace {

using testing::error_message_of;
using ::testing::HasSubstr;

constexpr int64_t kClasses = 3;

/// Rows in three consecutive clusters. Seeds LibTorch's generator.
torch::Tensor clustered_rows(int64_t count, torch::ScalarType type = torch::kFloat32) {
  torch::manual_seed(1);
  const auto labels = torch::arange(count).remainder(kClasses);
  const auto centers = 5 * torch::eye(kClasses, 10);
  return (centers.index_select(0, labels) + torch::randn({count, 10})).to(type);
}

/// Fraction of points whose nearest neighbor in the map is in the same cluster.
double purity(const torch::Tensor& positions) {
  const auto nearest = nearest_neighbors(
      positions, positions, {.similarity = kernel::Similarity::kDistance, .exclude_self = true});
  const auto labels = torch::arange(positions.size(0)).remainder(kClasses);
  const auto theirs = nearest.indices.select(1, 0).remainder(kClasses);
  return theirs.eq(labels).to(torch::kFloat64).mean().item<double>();
}

bool is_finite(const TsneResult& result) {
  return result.positions.isfinite().all().item<bool>() && std::isfinite(result.divergence);
}

TEST(Tsne, PreservesClusters) {
  for (const auto init : {TsneStart::kPca, TsneStart::kRandom}) {
    const auto result = tsne(clustered_rows(300), {.iterations = 400, .init = init});
    EXPECT_EQ(result.positions.sizes(), (std::vector<int64_t>{300, 2}));
    EXPECT_EQ(result.positions.scalar_type(), torch::kFloat32);
    EXPECT_EQ(result.iterations, 400);
    EXPECT_GT(purity(result.positions), 0.97);
    EXPECT_LT(result.positions.mean(0).abs().max().item<double>(), 1e-4);
  }
}

TEST(Tsne, IsAccurateFarFromTheOrigin) {
  const auto rows = clustered_rows(150, torch::kFloat64) + 1e8;
  EXPECT_GT(purity(tsne(rows, {.iterations = 300}).positions), 0.95);
}

TEST(Tsne, IsDeterministicForAnyNumberOfThreads) {
  const int before = torch::get_num_threads();
  const auto rows = clustered_rows(500);
  const auto map = [&](int threads, uint64_t seed) {
    torch::set_num_threads(threads);
    return tsne(rows, {.iterations = 100, .seed = seed}).positions;
  };
  const auto wanted = map(1, 0);
  EXPECT_TRUE(torch::equal(map(2, 0), wanted));
  EXPECT_TRUE(torch::equal(map(3, 0), wanted));
  EXPECT_FALSE(torch::equal(map(1, 1), wanted));
  torch::set_num_threads(before);
}

TEST(Tsne, ReportsTheDivergenceOfTheMap) {
  const auto rows = clustered_rows(200);
  const auto result = tsne(rows, {.perplexity = 10, .iterations = 300, .theta = 0});
  EXPECT_NEAR(tsne_divergence(rows, result.positions, 10), result.divergence, 1e-6);
  torch::manual_seed(3);
  EXPECT_GT(tsne_divergence(rows, torch::randn({200, 2}), 10), result.divergence + 0.5);
}

TEST(Tsne, UsesTheMaximumPerplexityForFewRows) {
  for (const int64_t count : {4, 5, 10, 30}) {
    const auto result = tsne(clustered_rows(count), {});
    EXPECT_TRUE(is_finite(result));
    EXPECT_EQ(result.perplexity, static_cast<double>(count - 1) / 3);
    EXPECT_GT(result.positions.std(0).min().item<double>(), 0.1) << count;
  }
  EXPECT_EQ(tsne(clustered_rows(200), {.iterations = 1}).perplexity, 30);
}

TEST(Tsne, DoesNotCollapseWithoutClusters) {
  torch::manual_seed(2);
  for (const auto& rows : {torch::randn({2000, 16}), torch::rand({500, 10})}) {
    const auto result = tsne(rows, {.iterations = 300});
    const auto spread = result.positions.std(0);
    EXPECT_GT(spread.min().item<double>(), 5);
    EXPECT_GT(spread.min().item<double>(), 0.5 * spread.max().item<double>());
    EXPECT_LT(result.divergence, 3);  // collapsed map: 3.9 and 1.8
  }
}

TEST(Tsne, MapOfEqualRowsIsFinite) {
  EXPECT_TRUE(is_finite(tsne(torch::full({120, 4}, 0.3), {.iterations = 300})));
  EXPECT_TRUE(is_finite(tsne(clustered_rows(30).repeat({10, 1}), {.iterations = 300})));
}

TEST(Tsne, MapOfRowsOnALineIsTwoDimensional) {
  const auto rows = torch::zeros({200, 3});
  rows.select(1, 1).copy_(torch::linspace(0, 10, 200));
  for (const auto& line : {rows, rows.narrow(1, 1, 1)}) {
    const auto result = tsne(line, {.iterations = 400});
    EXPECT_TRUE(is_finite(result));
    EXPECT_GT(result.positions.std(0).min().item<double>(), 0.1);
  }
}

/// Expects t-SNE of `rows` to fail with an error that contains all `facts`.
void expect_error(const torch::Tensor& rows, const TsneOptions& options,
                  const std::vector<std::string>& facts) {
  const auto message = error_message_of([&] { tsne(rows, options); });
  for (const auto& fact : facts) EXPECT_THAT(message, HasSubstr(fact));
}

TEST(Tsne, RejectsInvalidArguments) {
  auto rows = clustered_rows(100);
  for (const int64_t count : {0, 1, 2, 3}) {
    expect_error(clustered_rows(count), {}, {counted(count, "row"), "at least 4"});
  }
  expect_error(clustered_rows(21), {.perplexity = 30},
               {"perplexity is 30", "1 to 6.66", "21 rows"});
  expect_error(rows, {.perplexity = NAN}, {"perplexity is nan", "1 to 33", "100 rows"});
  expect_error(rows, {.theta = 1.5}, {"theta is 1.5", "0 (exact) to 1"});
  expect_error(rows, {.exaggeration = 0.5}, {"exaggeration is 0.5", "at least 1"});
  expect_error(rows, {.learning_rate = -1}, {"learning rate is -1", "positive", "0 to choose"});
  expect_error(rows, {.iterations = -1}, {"-1 iterations", "at least 0"});
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    rows[3][4] = value;
    expect_error(rows, {}, {"not finite"});
  }
  rows[3][4] = 1e18F;
  expect_error(rows, {}, {"value 1e+18", "below 1e+17"});
}

}  // namespace
}  // namespace projnce::eval
