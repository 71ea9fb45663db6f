#include "projnce/loss/sce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/loss/loss_battery.h"
#include "tests/support/error_message.h"

namespace projnce::testing {
namespace {

using namespace loss;

using ::testing::HasSubstr;

/// The embeddings are the logits of four classes.
LossSettings sce_settings() {
  return {
      {"default",
       [](const ContrastiveBatch& b) {
         return LossValue{symmetric_cross_entropy(b.anchors, b.anchor_labels, {}, b.reduction), {}};
       },
       true, false, false}};
}

INSTANTIATE_LOSS_TESTS(Sce, sce_settings);

class SceTest : public ClassLossTest {};

TEST_F(SceTest, ReverseCrossEntropyIsAddedWithPlusSign) {
  const auto logits = torch::zeros({9, 4}, torch::kFloat64);
  const SceOptions options{.alpha = 2, .beta = 3, .A = -4};
  EXPECT_NEAR(symmetric_cross_entropy(logits, y_, options).item<double>(),
              2 * std::log(4.0) + 3 * 4 * 0.75, 1e-12);
}

TEST_F(SceTest, MatchesTheFormulaRowByRow) {
  const SceOptions options{.alpha = 0.7, .beta = 1.3, .A = -4};
  double sum = 0;
  for (int64_t i = 0; i < 9; ++i) {
    const auto p = z_[i].softmax(0)[y_[i].item<int64_t>()].item<double>();
    sum += -0.7 * std::log(p) + 1.3 * 4 * (1 - p);
  }
  EXPECT_NEAR(symmetric_cross_entropy(z_, y_, options).item<double>(), sum / 9, 1e-12);
}

TEST_F(SceTest, ErrorsNameTheInvalidOption) {
  torch::manual_seed(1);
  const auto y = torch::tensor({0, 1, 2, 3, 4, 5, 0, 1, 2});
  EXPECT_THAT(error_message_of([&] { symmetric_cross_entropy(z_, y); }), HasSubstr("sce: label 5"));
  EXPECT_THAT(error_message_of([] { SceLoss({.A = 1}, 3, 3); }), HasSubstr("sce: A = 1"));
}

}  // namespace
}  // namespace projnce::testing
