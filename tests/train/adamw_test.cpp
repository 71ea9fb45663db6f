#include "projnce/train/adamw.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>

namespace projnce::train {
namespace {

/// Some parameters of odd sizes, one of them channels-last, all with requires_grad.
std::vector<torch::Tensor> make_parameters() {
  torch::manual_seed(5);
  std::vector<torch::Tensor> parameters = {
      torch::randn({7, 5}), torch::randn({40000}),
      torch::randn({8, 3, 3, 3}).contiguous(torch::MemoryFormat::ChannelsLast)};
  for (auto& parameter : parameters) parameter.requires_grad_();
  return parameters;
}

void set_gradients(std::vector<torch::Tensor>& parameters, int step) {
  torch::manual_seed(100 + step);
  for (auto& parameter : parameters) parameter.mutable_grad() = torch::randn(parameter.sizes());
}

TEST(AdamW, MatchesTorchOptimAdamW) {
  auto ours = make_parameters();
  auto theirs = make_parameters();
  AdamW optimizer({{"a", ours[0]}, {"b", ours[1]}, {"c", ours[2]}}, {.weight_decay = 0.1});
  torch::optim::AdamW reference(theirs, torch::optim::AdamWOptions(0.01).weight_decay(0.1));
  for (int step = 0; step < 20; ++step) {
    set_gradients(ours, step);
    set_gradients(theirs, step);
    optimizer.step(0.01);
    reference.step();
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LT((ours[i] - theirs[i]).abs().max().item<double>(), 1e-6) << "parameter " << i;
  }
}

/// Parameters, moments and gradient norms after a few steps with `threads` threads, concatenated.
torch::Tensor trained_with(int threads) {
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  auto parameters = make_parameters();
  AdamW optimizer({{"a", parameters[0]}, {"b", parameters[1]}, {"c", parameters[2]}}, {});
  std::vector<torch::Tensor> rows;
  for (int step = 0; step < 3; ++step) {
    set_gradients(parameters, step);
    rows.push_back(torch::tensor({optimizer.gradient_norm()}, torch::kDouble));
    optimizer.step(0.01);
  }
  at::set_num_threads(before);
  for (const auto& parameter : parameters) rows.push_back(parameter.detach().flatten());
  for (const auto& [name, moment] : optimizer.state()) rows.push_back(moment.flatten());
  for (auto& row : rows) row = row.to(torch::kDouble);
  return torch::cat(rows);
}

TEST(AdamW, IsBitIdenticalForAnyNumberOfThreads) {
  const auto one = trained_with(1);
  EXPECT_TRUE(torch::equal(one, trained_with(2)));
  EXPECT_TRUE(torch::equal(one, trained_with(3)));
}

TEST(AdamW, ComputesTheNormOfAllGradients) {
  auto parameters = make_parameters();
  AdamW optimizer({{"a", parameters[0]}, {"b", parameters[1]}, {"c", parameters[2]}}, {});
  EXPECT_EQ(optimizer.gradient_norm(), 0);  // no gradients yet
  set_gradients(parameters, 1);
  double square = 0;
  for (const auto& parameter : parameters) {
    square += parameter.grad().to(torch::kDouble).square().sum().item<double>();
  }
  EXPECT_NEAR(optimizer.gradient_norm(), std::sqrt(square), 1e-10 * std::sqrt(square));
  parameters[1].mutable_grad()[12345] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(optimizer.gradient_norm()));
}

TEST(AdamW, DoesNotChangeParametersWithoutGradient) {
  auto parameters = make_parameters();
  const auto before = parameters[0].detach().clone();
  AdamW optimizer({{"a", parameters[0]}}, {});
  optimizer.step(0.1);
  EXPECT_TRUE(torch::equal(before, parameters[0]));
}

TEST(AdamW, ContinuesFromSavedMoments) {
  auto whole = make_parameters();
  auto halves = make_parameters();
  AdamW uninterrupted({{"a", whole[0]}}, {});
  AdamW first({{"a", halves[0]}}, {});
  for (int step = 0; step < 3; ++step) {
    set_gradients(whole, step);
    set_gradients(halves, step);
    uninterrupted.step(0.01);
    first.step(0.01);
  }
  AdamW second({{"a", halves[0]}}, {});
  const auto saved = first.state();
  auto restored = second.state();
  for (size_t i = 0; i < saved.size(); ++i) restored[i].second.copy_(saved[i].second);
  second.set_steps(first.steps());
  set_gradients(whole, 9);
  set_gradients(halves, 9);
  uninterrupted.step(0.01);
  second.step(0.01);
  EXPECT_TRUE(torch::equal(whole[0], halves[0]));
}

TEST(AdamW, RejectsParametersThatAreNotDenseFloat) {
  EXPECT_ANY_THROW(AdamW({{"double", torch::zeros({3}, torch::kDouble)}}, {}));
}

}  // namespace
}  // namespace projnce::train
