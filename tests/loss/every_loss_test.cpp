// Properties of every loss; NAME_test.cpp instantiates them with the settings of its loss.
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/core/error.h"
#include "tests/loss/loss_battery.h"

namespace projnce::testing {
namespace {

using namespace loss;

TEST_P(DifferentiableLoss, HasTheGradientOfItsValue) {
  const auto batch = mixed_batch();
  // Rows of any norm: losses never normalize.
  const auto error = max_grad_error(
      [&](const torch::Tensor& z) { return GetParam().evaluate(with_rows(batch, z)).loss; },
      batch.candidates * 1.1);
  EXPECT_LT(error, 1e-7);
}

TEST_P(EveryLoss, OnGatheredRowsEqualsOneProcess) {
  const auto batch = mixed_batch();
  const auto expected = value(batch);
  const auto expected_gradient = gradient(batch);
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{5, 5}, {3, 1, 6}, {9, 1}}) {
    const auto global_loss = [&](const torch::Tensor& z) {
      auto sum = torch::zeros({}, torch::kFloat64);
      for (const auto& part : gathered(with_rows(batch, z), sizes)) {
        const auto weight = static_cast<double>(part.anchors.size(0)) / 10;
        sum = sum + weight * GetParam().evaluate(part).loss;
      }
      return sum;
    };
    EXPECT_NEAR(global_loss(batch.candidates).item<double>(), expected, 1e-12);
    EXPECT_LT(largest_difference(gradient_of(global_loss, batch.candidates), expected_gradient),
              1e-12);
  }
}

TEST_P(LossOfAnyRows, DoesNotDependOnTheirOrder) {
  const auto batch = mixed_batch();
  const auto order = torch::tensor({3, 8, 0, 5, 9, 1, 7, 2, 6, 4});
  const auto shuffled = permuted(batch, order);
  EXPECT_NEAR(value(shuffled), value(batch), 1e-12);
  EXPECT_LT(largest_difference(gradient(shuffled), gradient(batch).index_select(0, order)), 1e-12);
}

TEST_P(LossOfAnyLabels, DoesNotDependOnTheirNames) {
  const auto batch = mixed_batch();
  auto renamed = batch;
  const auto names = torch::tensor({700, -3, 12, 1 << 20});
  renamed.anchor_labels = names.index_select(0, batch.anchor_labels);
  renamed.candidate_labels = renamed.anchor_labels;
  EXPECT_NEAR(value(renamed), value(batch), 1e-12);
  EXPECT_LT(largest_difference(gradient(renamed), gradient(batch)), 1e-12);
}

TEST_P(LossOfAnglesOnly, TurnsWithTheEmbeddings) {
  const auto batch = mixed_batch();
  const auto rotation = random_rotation(4, 5);
  const auto turned = with_rows(batch, batch.candidates.mm(rotation));
  EXPECT_NEAR(value(turned), value(batch), 1e-10);
  EXPECT_LT(largest_difference(gradient(turned), gradient(batch).mm(rotation)), 1e-9);
}

TEST_P(EveryLoss, IsTheSameWithoutItsParts) {
  auto batch = mixed_batch();
  const auto whole = value(batch);
  batch.with_parts = false;
  EXPECT_EQ(value(batch), whole);
}

TEST_P(EveryLoss, InFloat32ComesCloseToFloat64) {
  const auto batch = mixed_batch();
  auto single = with_rows(batch, batch.candidates.to(torch::kFloat32));
  const auto exact = gradient(batch);
  const auto rough = gradient(single);
  EXPECT_EQ(rough.scalar_type(), torch::kFloat32);
  const auto scale = std::max(1e-2, exact.abs().max().item<double>());
  EXPECT_LT(largest_difference(rough.to(torch::kFloat64), exact), 1e-4 * scale);
}

struct Degenerate {
  const char* name;
  torch::Tensor rows;
  torch::Tensor labels;
};

std::vector<Degenerate> degenerate_batches() {
  const auto z = random_unit_rows(6, 4, 3);
  const auto one_class = torch::zeros({6}, torch::kInt64);
  const auto pairs = torch::tensor({0, 1, 2, 0, 1, 2});
  auto doubled = z.clone();
  doubled.narrow(0, 3, 3).copy_(z.narrow(0, 0, 3));
  return {
      {"one row", z.narrow(0, 0, 1), torch::tensor({2})},
      {"two rows, one class", z.narrow(0, 0, 2), torch::tensor({1, 1})},
      {"two rows, two classes", z.narrow(0, 0, 2), torch::tensor({1, 3})},
      {"one class", z, one_class},
      {"every class a single row", z.narrow(0, 0, 4), torch::tensor({3, 1, 0, 2})},
      {"duplicate rows", doubled, pairs},
      {"all rows equal", z.narrow(0, 0, 1).expand({6, 4}).contiguous(), pairs},
      {"all rows zero", torch::zeros({6, 4}, torch::kFloat64), pairs},
  };
}

TEST_P(LossOfAnyRows, IsFiniteOnDegenerateBatches) {
  for (const auto& [name, rows, labels] : degenerate_batches()) {
    const auto count = rows.size(0);
    auto batch = make_batch(rows, labels, torch::arange(count).div(2, "floor"));
    batch.candidate_soft_labels = torch::one_hot(labels, 4).to(torch::kFloat64);
    const auto loss = value(batch);
    EXPECT_TRUE(std::isfinite(loss)) << name;
    EXPECT_FALSE(loss == 0 && std::signbit(loss)) << name << ": minus zero";
    EXPECT_TRUE(torch::isfinite(gradient(batch)).all().item<bool>()) << name;
  }
}

TEST_P(EveryLoss, PropagatesNan) {
  const auto batch = mixed_batch();
  for (const auto bad : {std::nan(""), HUGE_VAL}) {
    auto rows = batch.candidates.clone();
    rows[1][2] = bad;
    EXPECT_FALSE(std::isfinite(value(with_rows(batch, rows))));
  }
}

TEST_P(EveryLoss, RejectsInconsistentBatches) {
  const auto good = mixed_batch();
  const auto rejected = [&](ContrastiveBatch batch) {
    EXPECT_THROW(GetParam().evaluate(batch), Error);
  };
  auto batch = good;
  batch.anchors = good.anchors.view(-1);
  batch.candidates = batch.anchors;
  rejected(batch);
  batch = good;
  batch.anchors = good.anchors.narrow(0, 0, 0);
  batch.anchor_labels = good.anchor_labels.narrow(0, 0, 0);
  batch.anchor_instances = good.anchor_instances.narrow(0, 0, 0);
  rejected(batch);
  batch = good;
  batch.anchors = good.anchors.to(torch::kInt64);
  batch.candidates = batch.anchors;
  rejected(batch);
  batch = good;
  batch.anchor_labels = good.anchor_labels.narrow(0, 0, 9);
  batch.anchor_instances = good.anchor_instances.narrow(0, 0, 9);
  rejected(batch);
}

}  // namespace
}  // namespace projnce::testing
