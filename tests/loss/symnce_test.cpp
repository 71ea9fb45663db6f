#include "projnce/loss/symnce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/loss/supcon.h"
#include "tests/loss/loss_battery.h"
#include "tests/loss/naive_pairs.h"

namespace projnce::testing {
namespace {

using namespace loss;

LossSettings symnce_settings() {
  LossSettings settings;
  for (const auto& [name, form] : {std::pair("lout", SymnceForm::kLout),
                                   {"lin", SymnceForm::kLin},
                                   {"pairwise", SymnceForm::kPairwise}}) {
    for (const auto empty : {EmptyPositives::kZero, EmptyPositives::kSkip}) {
      const SymnceOptions options{
          .temperature = kTemperature, .beta = 0.6, .form = form, .empty_positives = empty};
      settings.push_back({concat(name, empty == EmptyPositives::kSkip ? "_skip" : ""),
                          [options](const ContrastiveBatch& b) { return symnce(b, options); }});
    }
  }
  return settings;
}

INSTANTIATE_LOSS_TESTS(Symnce, symnce_settings);

double naive_symnce(const torch::Tensor& rows, const torch::Tensor& labels,
                    const SymnceOptions& options) {
  const NaivePairs p(rows, labels, options.temperature);
  const auto infonce = [&](size_t i, const Indices& from, const Indices& to) {
    const auto count = static_cast<double>(from.size());
    const auto all = std::log(p.sum_of_exponentials(i, from) + p.sum_of_exponentials(i, to));
    if (options.form == SymnceForm::kLout) return -p.mean(i, from) + all;
    if (options.form == SymnceForm::kLin)
      return -std::log(p.sum_of_exponentials(i, from) / count) + all;
    double sum = 0;
    for (const auto j : from) {
      sum += -p.s(i, j) + std::log(std::exp(p.s(i, j)) + p.sum_of_exponentials(i, to));
    }
    return sum / count;
  };
  return p.average(
      options.empty_positives,
      [&](size_t i) { return !p.positives(i, false).empty() && !p.negatives(i).empty(); },
      [&](size_t i) {
        const auto positives = p.positives(i, false);
        const auto negatives = p.negatives(i);
        return infonce(i, positives, negatives) - options.beta * infonce(i, negatives, positives);
      });
}

class SymnceTest : public PairLossTest {};

TEST_F(SymnceTest, MatchesTheFormulaPairByPair) {
  for (const auto form : {SymnceForm::kLout, SymnceForm::kLin, SymnceForm::kPairwise}) {
    for (const double beta : {0.0, 0.6, 1.0}) {
      const SymnceOptions options{.temperature = 0.3, .beta = beta, .form = form};
      const auto expected = naive_symnce(z_, y_, options);
      EXPECT_NEAR(loss_of(symnce(batch(), options)), expected,
                  1e-12 * std::max(1.0, std::abs(expected)));
    }
  }
}

TEST_F(SymnceTest, SupportsFloat32) {
  expect_float32_is_enough([](const ContrastiveBatch& b) { return symnce(b).loss; });
}

class SymnceProperties : public BalancedLossTest {};

TEST_F(SymnceProperties, WithoutReverseIsSupCon) {
  EXPECT_NEAR(loss_of(symnce(batch(), {.beta = 0})), loss_of(supcon(batch())), 1e-13);
}

}  // namespace
}  // namespace projnce::testing
