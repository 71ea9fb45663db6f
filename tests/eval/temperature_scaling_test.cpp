
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

#include "projnce/eval/calibration.h"

namespace projnce::eval {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Logits, and labels drawn from softmax(logits / temperature).
struct DrawnLabels {
  torch::Tensor scores;
  torch::Tensor labels;
};

DrawnLabels draw_labels(int64_t rows, int64_t classes, double temperature) {
  torch::manual_seed(3);
  const auto scores = 3 * torch::randn({rows, classes}, torch::kFloat64);
  return {scores, torch::multinomial((scores / temperature).softmax(1), 1).squeeze(1)};
}

TEST(TemperatureScaling, RecoversTheTemperatureOfTheLabels) {
  for (const double temperature : {0.25, 1.0, 4.0}) {
    const auto [scores, labels] = draw_labels(20000, 5, temperature);
    EXPECT_NEAR(fit_temperature(scores, labels), temperature, 0.05 * temperature);
    EXPECT_NEAR(fit_temperature(10 * scores, labels), 10 * temperature, 0.5 * temperature);
  }
}

TEST(TemperatureScaling, CalibratesOverconfidentScores) {
  const auto [scores, labels] = draw_labels(5000, 4, 3);
  EXPECT_GT(calibration_error(scores.softmax(1), labels), 0.2);
  EXPECT_LT(calibration_error(cross_fitted_probabilities(scores, labels), labels), 0.03);
  EXPECT_LT(calibration_error(tempered_softmax(scores, fit_temperature(scores, labels)), labels),
            0.03);
}

TEST(TemperatureScaling, FewCorrectSamplesDoNotYieldCertainty) {
  const auto scores = torch::tensor({{0.9, 0.1}, {0.1, 0.9}, {0.8, 0.0}});
  const auto labels = torch::tensor({0, 1, 0}, torch::kLong);
  const auto probabilities = tempered_softmax(scores, fit_temperature(scores, labels));
  // Platt: (N + 1) / (N + 2) = 0.8 for three of three.
  EXPECT_NEAR(probabilities.gather(1, labels.unsqueeze(1)).mean().item<double>(), 0.8, 0.01);
}

TEST(TemperatureScaling, ClassesThatAreNeverPredictedHaveZeroProbability) {
  const auto scores = torch::tensor({{0.9, 0.1, kNever}, {0.2, 0.4, kNever}, {0.7, 0.6, kNever}});
  const auto labels = torch::tensor({0, 1, 2}, torch::kLong);  // the last row is skipped
  const double temperature = fit_temperature(scores, labels);
  EXPECT_TRUE(std::isfinite(temperature));
  EXPECT_EQ(temperature, fit_temperature(scores.narrow(0, 0, 2), labels.narrow(0, 0, 2)));
  const auto probabilities = tempered_softmax(scores, temperature);
  EXPECT_TRUE(probabilities.select(1, 2).eq(0).all().item<bool>());
  EXPECT_TRUE(probabilities.sum(1).allclose(torch::ones({3}, torch::kFloat64)));
}

TEST(TemperatureScaling, SupportsNoRowsAndOneRow) {
  const auto none = torch::empty({0, 3});
  EXPECT_EQ(fit_temperature(none, torch::empty({0}, torch::kLong)), 1);
  const auto one =
      cross_fitted_probabilities(torch::tensor({{1.0, 0.0}}), torch::zeros({1}, torch::kLong));
  EXPECT_NEAR(one[0][0].item<double>(), 1 / (1 + std::exp(-1)), 1e-12);
}

}  // namespace
}  // namespace projnce::eval
