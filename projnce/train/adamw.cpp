#include "projnce/train/adamw.h"

#include <ATen/Parallel.h>

#include <cmath>

namespace projnce {

namespace {

constexpr int64_t kGrain = 1 << 15;  // elements a thread should get to be worth waking

/// The numbers of one step that are the same for every element.
struct StepFactors {
  float keep;  // 1 - learning rate * weight decay
  float beta1;
  float rest1;  // 1 - beta1, subtracted in double: in float it would be off by 5e-5 of itself
  float beta2;
  float rest2;
  float step_size;   // learning rate / (1 - beta1^t)
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
};

void update_range(const StepFactors& f, float* __restrict parameter, const float* __restrict grad,
                  float* __restrict mean, float* __restrict square, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const float g = grad[i];
    mean[i] = f.beta1 * mean[i] + f.rest1 * g;
    square[i] = f.beta2 * square[i] + f.rest2 * g * g;
    const float denominator = std::sqrt(square[i]) * f.root_scale + f.epsilon;
    parameter[i] = parameter[i] * f.keep - f.step_size * mean[i] / denominator;
  }
}

/// The gradient in the parameter's own memory layout, so that both can be walked as flat arrays.
torch::Tensor matching_gradient(const torch::Tensor& parameter) {
  const auto gradient = parameter.grad();
  if (gradient.strides() == parameter.strides()) return gradient;
  return torch::empty_like(parameter).copy_(gradient);
}

}  // namespace

AdamW::AdamW(NamedParameters parameters, const AdamWOptions& options) : options_(options) {
  for (auto& [name, parameter] : parameters) {
    TORCH_CHECK(parameter.scalar_type() == torch::kFloat && parameter.device().is_cpu() &&
                    parameter.is_non_overlapping_and_dense(),
                "AdamW: parameter ", name, " is not a dense float tensor on the CPU");
    const auto plain = parameter.detach();
    slots_.push_back({name, parameter, torch::zeros_like(plain), torch::zeros_like(plain)});
  }
}

void AdamW::step(double learning_rate) {
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const StepFactors factors{
      .keep = static_cast<float>(1 - learning_rate * options_.weight_decay),
      .beta1 = static_cast<float>(options_.beta1),
      .rest1 = static_cast<float>(1 - options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .rest2 = static_cast<float>(1 - options_.beta2),
      .step_size = static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, t))),
      .root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t))),
      .epsilon = static_cast<float>(options_.epsilon)};
  for (auto& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    const auto gradient = matching_gradient(slot.parameter);
    auto* parameter = slot.parameter.data_ptr<float>();
    const auto* grad = gradient.data_ptr<float>();
    auto* mean = slot.mean.data_ptr<float>();
    auto* square = slot.square.data_ptr<float>();
    at::parallel_for(0, slot.parameter.numel(), kGrain, [&](int64_t begin, int64_t end) {
      update_range(factors, parameter + begin, grad + begin, mean + begin, square + begin,
                   end - begin);
    });
  }
}

void AdamW::zero_grad() {
  for (auto& slot : slots_) slot.parameter.mutable_grad().reset();
}

NamedParameters AdamW::state() const {
  NamedParameters state;
  for (const auto& slot : slots_) {
    state.emplace_back("mean." + slot.name, slot.mean);
    state.emplace_back("square." + slot.name, slot.square);
  }
  return state;
}

}  // namespace projnce
