#include "projnce/loss/rince.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/loss/supcon.h"
#include "tests/loss/loss_battery.h"
#include "tests/loss/naive_pairs.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

LossSettings rince_settings() {
  LossSettings settings;
  for (const auto denominator : {RinceDenominator::kAll, RinceDenominator::kOnePos}) {
    for (const auto group : {GroupBy::kClass, GroupBy::kInstance}) {
      const RinceOptions options{
          .temperature = kTemperature, .q = 0.5, .lambda_ = 0.1, .denominator = denominator};
      settings.push_back(
          {concat(group == GroupBy::kClass ? "" : "self_",
                  denominator == RinceDenominator::kAll ? "all" : "one_pos"),
           [options, group](const ContrastiveBatch& b) { return rince(b, options, group); }});
    }
  }
  return settings;
}

INSTANTIATE_LOSS_TESTS(Rince, rince_settings);

double naive_rince(const torch::Tensor& rows, const torch::Tensor& labels,
                   const RinceOptions& options) {
  const NaivePairs p(rows, labels, options.temperature);
  return p.average(
      options.empty_positives, [&](size_t i) { return !p.positives(i, false).empty(); },
      [&](size_t i) {
        const auto positives = p.positives(i, false);
        double sum = 0;
        for (const auto j : positives) {
          const auto denominator =
              options.denominator == RinceDenominator::kAll
                  ? p.sum_of_exponentials(i, p.candidates(i, false))
                  : std::exp(p.s(i, j)) + p.sum_of_exponentials(i, p.negatives(i));
          sum += (-std::exp(options.q * p.s(i, j)) +
                  std::pow(options.lambda_ * denominator, options.q)) /
                 options.q;
        }
        return sum / static_cast<double>(positives.size());
      });
}

class RinceTest : public PairLossTest {};

TEST_F(RinceTest, MatchesTheFormulaPairByPair) {
  for (const double q : {0.1, 0.5, 1.0}) {
    for (const auto denominator : {RinceDenominator::kAll, RinceDenominator::kOnePos}) {
      const RinceOptions options{
          .temperature = 0.5, .q = q, .lambda_ = 0.2, .denominator = denominator};
      const auto expected = naive_rince(z_, y_, options);
      EXPECT_NEAR(loss_of(rince(batch(), options)), expected,
                  1e-12 * std::max(1.0, std::abs(expected)));
    }
  }
}

TEST_F(RinceTest, RejectsQAboveOne) {
  EXPECT_THAT(error_message_of([] { RinceLoss({.q = 1.5}, GroupBy::kClass); }),
              HasSubstr("q = 1.5"));
}

TEST_F(RinceTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return rince(b).loss; });
}

class RinceProperties : public BalancedLossTest {};

TEST_F(RinceProperties, TendsToInfonceAsQVanishes) {
  const auto limit = loss_of(supcon(batch(), {.temperature = 0.5})) + std::log(0.3);
  for (const double q : {1e-4, 1e-6, 1e-8}) {
    const auto loss = loss_of(rince(batch(), {.temperature = 0.5, .q = q, .lambda_ = 0.3}));
    EXPECT_NEAR(loss, limit, 30 * q + 1e-11);
  }
}

}  // namespace
}  // namespace projnce::testing
