#include <torch/types.h>
#include <torch/utils.h>

#include <vector>

#include "projnce/train/adamw.h"

// The update of parameters that are not on the CPU, with torch's operations on lists of tensors.
// Nothing waits for the device.

namespace projnce::train {

namespace {

using TensorVector = std::vector<torch::Tensor>;

}  // namespace

torch::Tensor AdamW::gradient_norm_on_device() const {
  const torch::NoGradGuard no_grad;
  TensorVector gradients;
  for (const auto& slot : slots_) {
    if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
  }
  if (gradients.empty()) return torch::zeros({}, device_steps_.options().dtype(torch::kFloat));
  return torch::stack(at::_foreach_norm(gradients, 2)).norm();
}

void AdamW::step_where(const torch::Tensor& updates, double learning_rate,
                       const torch::Tensor& factor) {
  const torch::NoGradGuard no_grad;
  const auto skipped = updates.logical_not();
  const auto weight = updates.to(torch::kFloat);  // 1, or 0 if nothing changes
  TensorVector parameters;
  TensorVector gradients;
  TensorVector means;
  TensorVector squares;
  for (auto& slot : slots_) {
    auto gradient = slot.parameter.grad();
    if (!gradient.defined()) continue;
    parameters.push_back(slot.parameter.detach());
    gradients.push_back(gradient.mul_(factor).masked_fill_(skipped, 0));
    means.push_back(slot.mean);
    squares.push_back(slot.square);
  }
  device_steps_.add_(updates);
  const auto steps = device_steps_.clamp_min(1);
  const auto step_size = learning_rate / (1 - torch::pow(options_.beta1, steps));
  const auto root_scale = (1 - torch::pow(options_.beta2, steps)).rsqrt().to(torch::kFloat);
  if (parameters.empty()) return;
  const auto keep = [&](double rate) { return 1 - weight * rate; };
  at::_foreach_mul_(parameters, keep(learning_rate * options_.weight_decay));
  at::_foreach_mul_(means, keep(1 - options_.beta1));
  at::_foreach_add_(means, gradients, 1 - options_.beta1);
  at::_foreach_mul_(squares, keep(1 - options_.beta2));
  at::_foreach_addcmul_(squares, gradients, gradients, 1 - options_.beta2);
  auto roots = at::_foreach_sqrt(squares);
  at::_foreach_mul_(roots, root_scale);
  at::_foreach_add_(roots, options_.epsilon);
  auto change = at::_foreach_div(means, roots);
  at::_foreach_mul_(change, step_size.to(torch::kFloat).mul(weight).neg());
  at::_foreach_add_(parameters, change);
}

}  // namespace projnce::train
