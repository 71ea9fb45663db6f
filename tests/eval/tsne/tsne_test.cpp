#include "projnce/eval/tsne/tsne.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <string>

#include "projnce/eval/nearest_neighbors.h"
#include "tests/support/error_message.h"

namespace projnce::eval {
namespace {

using testing::error_message_of;

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

TEST(Tsne, RejectsInvalidArguments) {
  auto rows = clustered_rows(100);
  for (const int64_t count : {0, 1, 2, 3}) {
    EXPECT_EQ(error_message_of([&] { tsne(clustered_rows(count), {}); }),
              "t-SNE: " + std::to_string(count) + " rows, expected at least 4");
  }
  EXPECT_EQ(error_message_of([] { tsne(clustered_rows(21), {.perplexity = 30}); }),
            "t-SNE: the perplexity is 30, expected 1 to 6.66 "
            "the maximum perplexity for 21 rows is 6.66");
  EXPECT_EQ(error_message_of([&] { tsne(rows, {.theta = 1.5}); }),
            "t-SNE: theta is 1.5, expected 0 (exact) to 1 (coarse)");
  EXPECT_EQ(error_message_of([&] { tsne(rows, {.perplexity = NAN}); }),
            "t-SNE: the perplexity is nan, expected 1 to 33 "
            "the maximum perplexity for 100 rows is 33");
  EXPECT_EQ(error_message_of([&] { tsne(rows, {.exaggeration = 0.5}); }),
            "t-SNE: the exaggeration is 0.5, expected at least 1");
  EXPECT_EQ(error_message_of([&] { tsne(rows, {.learning_rate = -1}); }),
            "t-SNE: the learning rate is -1, expected a positive number, or 0 to choose it "
            "automatically");
  EXPECT_EQ(error_message_of([&] { tsne(rows, {.iterations = -1}); }),
            "t-SNE: -1 iterations and 250 with exaggeration, expected at least 0");
  rows[3][4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error_message_of([&] { tsne(rows, {}); }), "the rows have a value that is not finite");
  rows[3][4] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(error_message_of([&] { tsne(rows, {}); }), "the rows have a value that is not finite");
  rows[3][4] = 1e18F;
  EXPECT_EQ(error_message_of([&] { tsne(rows, {}); }),
            "the rows have the value 1e+18, expected values below 1e+17");
}

}  // namespace
}  // namespace projnce::eval
