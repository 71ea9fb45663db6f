// Every loss on a device other than the CPU and on tensors without values.

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "projnce/core/toml.h"
#include "projnce/loss/registry.h"
#include "tests/device/guarded_device.h"
#include "tests/support/batches.h"

namespace projnce::testing {
namespace {

constexpr int64_t kClasses = 4;
constexpr int64_t kWidth = 6;

/// Settings of [loss]; every loss occurs, and every option that takes another path.
const std::vector<std::string>& loss_settings() {
  static const std::vector<std::string> settings = {
      "name = 'ce'",
      "name = 'generalized-infonce'",
      "name = 'generalized-infonce'\nprojection_pos = 'median'\nprojection_neg = 'mlp'",
      "name = 'generalized-infonce'\nprojection_pos = 'perp'\nr_exclude = 'class'",
      "name = 'infonce'",
      "name = 'infonce'\nsymmetric = false",
      "name = 'joint-projnce'",
      "name = 'joint-supcon'",
      "name = 'projnce'",
      "name = 'projnce'\npreset = 'paper'",
      "name = 'projnce'\npreset = 'allpairs'\nnormalize_g = true",
      "name = 'projnce'\nr_centroid = 'leave_row_out'\nr_exclude = 'class'",
      "name = 'projnce-med'",
      "name = 'projnce-med'\nmedian = 'lower'\nnormalize_g = true",
      "name = 'projnce-mlp'",
      "name = 'projnce-mlp'\nclass_weight = 'uniform'\ndenominator = 'all'\nhidden = 5",
      "name = 'projnce-perp'",
      "name = 'projnce-perp'\nsoft_source = 'hard'",
      "name = 'projnce-perp'\nsoft_source = 'given'",
      "name = 'projnce-perp'\nleave_one_out = 'instance'\ndenominator = 'all'",
      "name = 'projnce-perp'\nleave_one_out = 'instance'\ndenominator = 'all'\nsoft_source = "
      "'hard'\n"
      "priors = 'training'",
      "name = 'projnce-perp'\nleave_one_out = 'instance'\ndenominator = 'all'\nsoft_source = "
      "'given'\n"
      "priors = 'training'\nnormalize_g = true",
      "name = 'rince'",
      "name = 'rince'\ndenominator = 'one_pos'",
      "name = 'rince-self'",
      "name = 'sce'",
      "name = 'simclr'",
      "name = 'supcon'",
      "name = 'supcon'\nvariant = 'in'\ninclude_self_denom = true",
      "name = 'supcon'\nempty_positives = 'skip'",
      "name = 'symnce'",
      "name = 'symnce'\nform = 'lin'",
      "name = 'symnce'\nform = 'pairwise'",
  };
  return settings;
}

loss::LossOptions options_of(const std::string& settings) {
  return loss::parse_loss_options(parse_toml(settings, "test"));
}

loss::LossPtr make_test_loss(const loss::LossOptions& options) {
  torch::manual_seed(4);
  return loss::make_loss(options,
                         {.num_classes = kClasses,
                          .embedding_dim = kWidth,
                          .feature_dim = kWidth,
                          .class_priors = torch::tensor({0.1, 0.2, 0.3, 0.4}, torch::kDouble)},
                         [](const auto&) { return torch::Tensor(); });
}

/// Twelve rows: two views of six instances; a class with one instance. Labels are on the CPU.
loss::ContrastiveBatch host_batch() {
  const auto rows = random_unit_rows(12, kWidth, 9).to(torch::kFloat);
  const auto labels = torch::tensor({0, 1, 2, 0, 1, 3, 0, 1, 2, 0, 1, 3});
  auto batch = loss::make_batch(rows, labels, torch::arange(12).remainder(6),
                                random_normal(12, kWidth, 5).to(torch::kFloat));
  batch.candidate_soft_labels = random_uniform(12, kClasses, 6).to(torch::kFloat).softmax(1);
  return batch;
}

loss::ContrastiveBatch moved(const torch::Device& device, bool with_labels) {
  auto batch = host_batch();
  batch.anchors = batch.anchors.detach().to(device).requires_grad_();
  batch.candidates = batch.anchors;
  batch.anchor_features = batch.anchor_features.detach().to(device).requires_grad_();
  batch.candidate_soft_labels = batch.candidate_soft_labels.to(device);
  if (!with_labels) return batch;
  for (auto* labels : {&batch.anchor_labels, &batch.anchor_instances}) *labels = labels->to(device);
  batch.candidate_labels = batch.anchor_labels;
  batch.candidate_instances = batch.anchor_instances;
  return batch;
}

struct LossResult {
  loss::LossValue value;
  std::vector<torch::Tensor> gradients;  // of rows, features and parameters; undefined if unused
};

LossResult evaluate(loss::Loss& loss, const loss::ContrastiveBatch& batch) {
  LossResult result{.value = loss.evaluate(batch), .gradients = {}};
  result.value.loss.backward();
  result.gradients = {batch.anchors.grad(), batch.anchor_features.grad()};
  for (const auto& parameter : loss.parameters()) result.gradients.push_back(parameter.grad());
  return result;
}

void expect_close(const torch::Tensor& found, const torch::Tensor& expected) {
  ASSERT_EQ(found.defined(), expected.defined());
  if (!found.defined()) return;
  // Rounding errors are relative to the largest terms.
  const double scale = std::max(1.0, expected.abs().max().item<double>());
  EXPECT_TRUE(torch::allclose(found.cpu(), expected, 2e-4, 2e-5 * scale, /*equal_nan=*/true))
      << found.cpu() << "\ninstead of " << expected;
}

class LossOnDevice : public ::testing::TestWithParam<std::string> {
 protected:
  loss::LossOptions options_ = options_of(GetParam());
};

TEST_P(LossOnDevice, EqualsTheCpuWithoutWaitingForTheDevice) {
  for (const bool device_labels : {false, true}) {
    const auto host = make_test_loss(options_);
    const auto expected = evaluate(*host, moved(torch::kCPU, false));
    const auto loss = make_test_loss(options_);
    loss->to(kGuardedDevice);
    const auto batch = moved(kGuardedDevice, device_labels);
    const auto before = guarded_synchronizations();
    const auto found = evaluate(*loss, batch);
    if (!device_labels) {
      EXPECT_EQ(guarded_synchronizations(), before);
    }
    EXPECT_EQ(found.value.loss.device(), kGuardedDevice);
    expect_close(found.value.loss, expected.value.loss);
    ASSERT_EQ(found.value.parts.size(), expected.value.parts.size());
    for (size_t i = 0; i < found.value.parts.size(); ++i) {
      SCOPED_TRACE(found.value.parts[i].first);
      expect_close(found.value.parts[i].second, expected.value.parts[i].second);
    }
    for (size_t i = 0; i < found.gradients.size(); ++i) {
      SCOPED_TRACE(i);
      expect_close(found.gradients[i], expected.gradients[i]);
    }
  }
}

TEST_P(LossOnDevice, NeedsNoValuesOnTheHost) {
  const auto loss = make_test_loss(options_);
  loss->to(torch::kMeta);
  const auto batch = moved(torch::kMeta, false);
  const auto result = evaluate(*loss, batch);
  EXPECT_TRUE(result.value.loss.is_meta());
  for (const auto& gradient : result.gradients)
    EXPECT_TRUE(!gradient.defined() || gradient.is_meta());
}

TEST_P(LossOnDevice, RowsThatAreNotFiniteMakeTheLossNan) {
  const auto loss = make_test_loss(options_);
  loss->to(kGuardedDevice);
  auto batch = moved(kGuardedDevice, false);
  const torch::NoGradGuard no_grad;
  batch.anchors[0].fill_(std::numeric_limits<float>::infinity());
  batch.anchor_features[0].fill_(std::numeric_limits<float>::infinity());
  EXPECT_FALSE(std::isfinite(loss->evaluate(batch).loss.item<double>()));
}

INSTANTIATE_TEST_SUITE_P(Losses, LossOnDevice, ::testing::ValuesIn(loss_settings()),
                         [](const auto& test) { return "Setting" + std::to_string(test.index); });

TEST(DeviceLosses, TheSettingsCoverEveryLoss) {
  std::set<std::string> names;
  for (const auto& settings : loss_settings()) names.insert(options_of(settings).name);
  const auto all = loss::loss_names();
  EXPECT_EQ(names, std::set<std::string>(all.begin(), all.end()));
}

/// Its iterations end when the host has read that they converged.
TEST(DeviceLosses, TheGeometricMedianEqualsTheCpu) {
  const auto options = options_of("name = 'projnce-med'\nmedian = 'geometric'");
  const auto expected = evaluate(*make_test_loss(options), moved(torch::kCPU, false));
  const auto loss = make_test_loss(options);
  const auto found = evaluate(*loss, moved(kGuardedDevice, false));
  expect_close(found.value.loss, expected.value.loss);
  expect_close(found.gradients[0], expected.gradients[0]);
}

}  // namespace
}  // namespace projnce::testing
