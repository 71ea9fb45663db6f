#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/eval/accuracy.h"
#include "projnce/eval/calibration.h"
#include "projnce/eval/lbfgs.h"
#include "projnce/eval/linear_probe.h"
#include "projnce/eval/nearest_neighbors.h"
#include "tests/support/batches.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace eval;

using ::testing::HasSubstr;

TEST(Knn, WeightsVotesByCosine) {
  const auto rows = torch::tensor({{1.0, 0.0}, {0.6, 0.8}, {0.6, -0.8}, {-1.0, 0.0}});
  const auto labels = torch::tensor({0, 1, 1, 1}, torch::kInt64);
  const auto query = torch::tensor({{2.0, 0.0}});  // norms do not matter
  const auto three = knn_scores(rows, labels, 3, query, {.neighbors = 3, .temperature = 0.5});
  const double two_votes = 2 * std::exp(-0.4 / 0.5);
  EXPECT_NEAR(three[0][0].item<double>(), 1 / (1 + two_votes), 1e-6);
  EXPECT_NEAR(three[0][1].item<double>(), two_votes / (1 + two_votes), 1e-6);
  EXPECT_EQ(three[0][2].item<double>(), 0);
  const auto one = knn_scores(rows, labels, 3, query, {.neighbors = 1});
  EXPECT_EQ(one[0][0].item<double>(), 1);
}

TEST(Knn, SharpTemperaturesDoNotOverflow) {
  const auto rows = random_unit_rows(50, 8, 1).to(torch::kFloat32);
  const auto labels = torch::arange(50).remainder(5);
  const auto shares = knn_scores(rows, labels, 5, rows, {.neighbors = 7, .temperature = 1e-4});
  EXPECT_TRUE(shares.sum(1).allclose(torch::ones({50})));
  EXPECT_TRUE(predict_class(shares).equal(labels));
}

TEST(Knn, RejectsMoreNeighborsThanRows) {
  const auto rows = torch::eye(3);
  EXPECT_THAT(
      error_message_of([&] { knn_scores(rows, torch::arange(3), 3, rows, {.neighbors = 4}); }),
      HasSubstr("neighbors = 4, expected 1 to the 3 available rows"));
}

/// Documented objective of the probe as a function of its parameters.
double probe_objective(const LinearProbe& probe, const torch::Tensor& rows,
                       const torch::Tensor& labels, double penalty) {
  const auto loss = torch::nn::functional::cross_entropy(probe.scores(rows), labels);
  return (loss + penalty / 2 / double(rows.size(0)) * probe.weights.square().sum()).item<double>();
}

TEST(Lbfgs, MinimizesTheRosenbrockFunction) {
  const auto valley = [](const std::vector<double>& x, std::vector<double>& gradient) {
    const double a = 1 - x[0];
    const double b = x[1] - x[0] * x[0];
    gradient = {-2 * a - 400 * x[0] * b, 200 * b};
    return a * a + 100 * b * b;
  };
  std::vector<double> point = {-1.2, 1};
  EXPECT_LT(minimize_lbfgs(valley, point, {.max_steps = 200, .tolerance = 1e-15}), 1e-12);
  EXPECT_NEAR(point[0], 1, 1e-5);
  EXPECT_NEAR(point[1], 1, 1e-5);
}

TEST(LinearProbe, IsAtTheMinimumOfItsObjective) {
  const auto labels = torch::arange(300).remainder(3);
  const auto rows =
      random_unit_rows(300, 6, 3) * 4 + 7 + torch::one_hot(labels, 6).to(torch::kFloat64);
  const auto probe = fit_linear_probe(rows, labels, 3, /*penalty=*/2);
  const double least = probe_objective(probe, rows, labels, 2);
  for (const double step : {-0.05, 0.05}) {
    for (int64_t i = 0; i < 18; ++i) {
      auto moved = probe;
      moved.weights = probe.weights.clone();
      moved.weights.view(-1)[i] += step;
      EXPECT_GT(probe_objective(moved, rows, labels, 2), least);
    }
  }
  const auto right = predict_class(probe.scores(rows)).eq(labels).to(torch::kFloat64).mean();
  EXPECT_GT(right.item<double>(), 0.4);
}

TEST(LinearProbe, SeparatesSeparableDataAndSupportsConstantColumns) {
  const auto labels = torch::arange(90).remainder(3);
  auto rows = torch::one_hot(labels, 4).to(torch::kFloat32);  // the last column is constant
  const auto probe = fit_linear_probe(rows, labels, 3);
  EXPECT_TRUE(predict_class(probe.scores(rows)).equal(labels));
  EXPECT_TRUE(torch::isfinite(probe.scores(rows)).all().item<bool>());
}

TEST(LinearProbe, IsDeterministic) {
  const auto labels = torch::arange(200).remainder(4);
  const auto rows = random_unit_rows(200, 16, 5).to(torch::kFloat32);
  const auto first = fit_linear_probe(rows, labels, 4);
  EXPECT_TRUE(first.weights.equal(fit_linear_probe(rows, labels, 4).weights));
}

TEST(Calibration, IsTheMeanGapOfBins) {
  // Confidence 0.5 and accuracy 0.5: perfect calibration. Then always wrong: the gap is 0.5.
  const auto half = torch::full({4, 2}, 0.5);
  EXPECT_NEAR(calibration_error(half, torch::tensor({0, 1, 0, 1}, torch::kInt64)), 0, 1e-12);
  EXPECT_NEAR(calibration_error(half, torch::ones({4}, torch::kInt64)), 0.5, 1e-12);
  // Two bins of one sample each: |1 - 0.9| and |0 - 0.7|.
  const auto mixed = torch::tensor({{0.9, 0.1}, {0.7, 0.3}}, torch::kFloat64);
  EXPECT_NEAR(calibration_error(mixed, torch::tensor({0, 1}, torch::kInt64)), 0.4, 1e-12);
  const auto certain = torch::eye(2);
  EXPECT_EQ(calibration_error(certain, torch::arange(2)), 0);
}

/// Expected values are from scipy.stats.beta.ppf.
TEST(ClopperPearson, MatchesQuantilesOfTheBetaDistribution) {
  struct Case {
    int64_t successes, trials;
    double low, high;
  };
  const Case cases[] = {{0, 7, 0, 0.409616397225},
                        {6, 6, 0.54074187356, 1},
                        {1, 1, 0.025, 1},
                        {0, 1, 0, 0.975},
                        {1, 2, 0.0125791170934, 0.987420882907},
                        {5, 10, 0.187086028447, 0.812913971553},
                        {3, 20, 0.0320709371855, 0.378926826545},
                        {98, 99, 0.945003176801, 0.999744297263},
                        {9000, 10000, 0.893953100096, 0.905812788266},
                        {1, 1000000, 2.53178076638e-08, 5.57163065517e-06},
                        {500000, 1000000, 0.499019519195, 0.500980480805}};
  for (const auto& [successes, trials, low, high] : cases) {
    const auto found = clopper_pearson_interval(successes, trials);
    EXPECT_NEAR(found.low, low, 1e-10 * (1 + low)) << successes << " of " << trials;
    EXPECT_NEAR(found.high, high, 1e-10 * (1 + high)) << successes << " of " << trials;
  }
}

TEST(ClopperPearson, IsZeroToOneWithoutTrialsAndRejectsInvalidCounts) {
  EXPECT_EQ(clopper_pearson_interval(0, 0).low, 0);
  EXPECT_EQ(clopper_pearson_interval(0, 0).high, 1);
  EXPECT_THAT(error_message_of([] { clopper_pearson_interval(3, 2); }),
              HasSubstr("3 successes of 2"));
  EXPECT_THAT(error_message_of([] { clopper_pearson_interval(-1, 2); }),
              HasSubstr("-1 successes of 2"));
}

}  // namespace
}  // namespace projnce::testing
