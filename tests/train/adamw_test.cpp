#include "projnce/train/adamw.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace projnce {
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

TEST(AdamW, FollowsLibTorchsOwn) {
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

TEST(AdamW, LeavesParametersWithoutGradientAlone) {
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

TEST(AdamW, RefusesWhatItCannotWalkFlat) {
  EXPECT_ANY_THROW(AdamW({{"double", torch::zeros({3}, torch::kDouble)}}, {}));
}

}  // namespace
}  // namespace projnce
