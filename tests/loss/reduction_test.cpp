// Mean, sum and the values of single anchors agree, for every loss.
#include <gtest/gtest.h>

#include "projnce/loss/registry.h"
#include "tests/loss/recipes.h"
#include "tests/support/batches.h"
#include "tests/support/grad_check.h"

namespace projnce::testing {
namespace {

/// Eight rows in which every anchor has positives and negatives: four instances with two views, two
/// classes. Float64.
ContrastiveBatch full_batch() {
  auto batch = self_batch(random_unit_rows(8, 4, 11), torch::tensor({0, 1, 0, 1, 0, 1, 0, 1}),
                          torch::tensor({0, 1, 2, 3, 0, 1, 2, 3}));
  batch.candidate_soft_labels = torch::rand({8, 4}, torch::kFloat64);
  return batch;
}

LossValue with_reduction(const Recipe& recipe, ContrastiveBatch batch, Reduction reduction) {
  batch.reduction = reduction;
  return recipe.evaluate(batch);
}

/// Anchors whose values the mean is taken over: first views alone for infonce.
int64_t counted_anchors(const std::string& name, int64_t anchors) {
  return name == "infonce" ? anchors / 2 : anchors;
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

class ReductionTest : public ::testing::TestWithParam<Recipe> {};

TEST_P(ReductionTest, MeanSumAndNoneAgreeIfAllAnchorsCount) {
  const auto batch = full_batch();
  const auto value = [&](Reduction reduction) {
    return with_reduction(GetParam(), batch, reduction).loss;
  };
  expect_consistent(GetParam().name, value(Reduction::kMean), value(Reduction::kSum),
                    value(Reduction::kNone), 8);
}

TEST_P(ReductionTest, SumIsThatOfSingleAnchorsIfSomeDoNotCount) {
  const auto batch = mixed_batch();
  const auto none = with_reduction(GetParam(), batch, Reduction::kNone);
  const auto sum = with_reduction(GetParam(), batch, Reduction::kSum);
  EXPECT_TRUE(torch::allclose(none.loss.sum(), sum.loss));
  EXPECT_TRUE(sum.loss.isfinite().item<bool>());
}

TEST_P(ReductionTest, GradientOfTheSumIsThatOfSingleAnchors) {
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

INSTANTIATE_TEST_SUITE_P(Recipes, ReductionTest, ::testing::ValuesIn(all_recipes()),
                         [](const auto& test) { return test.param.name; });

TEST(RegistryReduction, EveryLossHasEveryReduction) {
  torch::manual_seed(1);
  constexpr LossShape kShape{.num_classes = 2, .embedding_dim = 4, .feature_dim = 7};
  auto batch = full_batch();
  batch.anchor_features = torch::randn({8, 7});
  for (const auto& name : loss_names()) {
    const auto loss = make_loss(loss_options(name), kShape);
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
