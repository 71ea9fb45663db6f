// Mean, sum and the values of single anchors agree, for every loss; NAME_test.cpp instantiates the
// tests with the settings of its loss.
#include <gtest/gtest.h>

#include "projnce/loss/registry.h"
#include "tests/loss/loss_battery.h"

namespace projnce::testing {
namespace {

using namespace loss;

LossValue with_reduction(const LossSetting& setting, ContrastiveBatch batch, Reduction reduction) {
  batch.reduction = reduction;
  return setting.evaluate(batch);
}

/// Anchors whose values the mean is taken over: first views alone for infonce.
int64_t counted_anchors(const std::string& name, int64_t anchors) {
  return name == "infonce" || name == "one_sided" ? anchors / 2 : anchors;
}

void expect_consistent(const std::string& name, const torch::Tensor& mean, const torch::Tensor& sum,
                       const torch::Tensor& none, int64_t anchors) {
  EXPECT_EQ(mean.dim(), 0) << name;
  EXPECT_EQ(sum.dim(), 0) << name;
  ASSERT_EQ(none.sizes(), torch::IntArrayRef({anchors})) << name;
  const auto counted = static_cast<double>(counted_anchors(name, anchors));
  EXPECT_TRUE(torch::allclose(none.sum(), sum)) << name << ": " << none.sum() << " and " << sum;
  EXPECT_TRUE(torch::allclose(sum / counted, mean)) << name << ": " << sum << " and " << mean;
}

TEST_P(LossReduction, MeanSumAndNoneAgreeIfAllAnchorsCount) {
  const auto batch = balanced_batch();
  const auto value = [&](Reduction reduction) {
    return with_reduction(GetParam(), batch, reduction).loss;
  };
  expect_consistent(GetParam().name, value(Reduction::kMean), value(Reduction::kSum),
                    value(Reduction::kNone), 8);
}

TEST_P(LossReduction, SumIsThatOfSingleAnchorsIfSomeDoNotCount) {
  const auto batch = mixed_batch();
  const auto none = with_reduction(GetParam(), batch, Reduction::kNone);
  const auto sum = with_reduction(GetParam(), batch, Reduction::kSum);
  EXPECT_TRUE(torch::allclose(none.loss.sum(), sum.loss));
  EXPECT_TRUE(sum.loss.isfinite().item<bool>());
}

TEST_P(LossReduction, GradientOfTheSumIsThatOfSingleAnchors) {
  const auto batch = mixed_batch();
  const auto gradient = [&](Reduction reduction) {
    return gradient_of(
        [&](const torch::Tensor& z) {
          auto rows = batch;
          rows.anchors = z;
          rows.candidates = z;
          return with_reduction(GetParam(), rows, reduction).loss.sum();
        },
        batch.candidates);
  };
  EXPECT_TRUE(torch::allclose(gradient(Reduction::kNone), gradient(Reduction::kSum)));
}

TEST(RegistryReduction, EveryLossHasEveryReduction) {
  torch::manual_seed(1);  // weights of classifiers and class vectors
  const LossShape shape{.num_classes = 2, .embedding_dim = 4, .feature_dim = 7};
  auto batch = balanced_batch();
  batch.anchor_features = random_normal(8, 7, 13);
  for (const auto& name : loss_names()) {
    const auto loss = make_loss(loss_options(name), shape);
    loss->to(torch::kFloat64);
    const auto value = [&](Reduction reduction) {
      batch.reduction = reduction;
      return loss->evaluate(batch).loss.detach();
    };
    expect_consistent(name, value(Reduction::kMean), value(Reduction::kSum),
                      value(Reduction::kNone), 8);
  }
}

}  // namespace
}  // namespace projnce::testing
