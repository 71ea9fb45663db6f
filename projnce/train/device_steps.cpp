#include "projnce/train/device_steps.h"

#include <utility>

namespace projnce::train {

namespace {

constexpr double kSmallestScale = 1;
constexpr double kScaleFactor = 2;
constexpr int64_t kScaleInterval = 2000;  // steps without overflow before the scale grows
constexpr int64_t kOwnNumbers = 4;        // after the values: norm, overflow, scale, its steps

}  // namespace

DeviceSteps::DeviceSteps(const torch::Device& device, const TrainOptions& options)
    : device_(device),
      skip_nonfinite_(options.skip_nonfinite),
      scales_(options.precision == Precision::kFloat16) {
  start(0, {});
}

void DeviceSteps::start(int64_t nonfinite, const LossScale& scale) {
  const auto number = torch::TensorOptions(torch::kFloat).device(device_);
  const auto scalar = [&](double value) { return torch::full({}, value, number); };
  consecutive_ = scalar(static_cast<double>(nonfinite));
  halted_ = torch::zeros({}, number.dtype(torch::kBool));
  scale_ = scales_ ? scalar(scale.scale) : torch::Tensor();
  scale_steps_ = scales_ ? scalar(static_cast<double>(scale.steps)) : torch::Tensor();
}

/// Returns the scale after the step and its number of steps, [2].
torch::Tensor DeviceSteps::update_scale(const torch::Tensor& finite,
                                        const torch::Tensor& overflow) {
  if (!scales_) return torch::zeros({2}, consecutive_.options());
  const auto steps = torch::where(finite, scale_steps_ + 1, torch::zeros_like(scale_steps_));
  const auto grows = steps >= kScaleInterval;
  const auto grown = torch::where(grows, scale_ * kScaleFactor, scale_);
  scale_ = torch::where(overflow, scale_ / kScaleFactor, grown);
  scale_steps_ = steps.masked_fill(grows, 0);
  return torch::stack({scale_, scale_steps_});
}

torch::Tensor DeviceSteps::add(StepReport report, std::vector<std::string> names,
                               loader::Batch samples, const torch::Tensor& values,
                               const torch::Tensor& norm) {
  const torch::NoGradGuard no_grad;
  const auto finite_loss = values[0].isfinite();
  const auto finite = finite_loss.logical_and(norm.isfinite());
  const auto overflow = scales_ ? finite_loss & finite.logical_not() & (scale_ > kSmallestScale)
                                : torch::zeros_like(finite);
  // An overflow neither counts as a non-finite step nor ends a sequence of them.
  const auto bad = finite.logical_not() & overflow.logical_not();
  consecutive_ = (consecutive_ + bad).masked_fill(finite, 0);
  halted_ = halted_.logical_or(consecutive_ > skip_nonfinite_);
  const auto own = torch::stack({norm.to(torch::kFloat), overflow.to(torch::kFloat)});
  pending_.push_back({std::move(report), std::move(names), std::move(samples),
                      torch::cat({values, own, update_scale(finite, overflow)})});
  return finite.logical_and(halted_.logical_not());
}

std::vector<DeviceSteps::Finished> DeviceSteps::take() {
  std::vector<Finished> finished;
  if (pending_.empty()) return finished;
  std::vector<torch::Tensor> numbers;
  for (const auto& step : pending_) numbers.push_back(step.numbers);
  const auto all = torch::cat(numbers).cpu();  // waits for the device
  const auto* number = all.data_ptr<float>();
  for (auto& step : std::exchange(pending_, {})) {
    for (const auto& name : step.names) step.report.values[name] = *number++;
    step.report.gradient_norm = number[0];
    finished.push_back({.report = std::move(step.report),
                        .samples = std::move(step.samples),
                        .overflow = number[1] != 0,
                        .scale = {number[2], static_cast<int64_t>(number[3])}});
    number += kOwnNumbers;
  }
  return finished;
}

}  // namespace projnce::train
