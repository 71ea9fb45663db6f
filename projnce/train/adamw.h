#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace projnce::train {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-4;
};

/// Parameters with the names under which their state is saved.
using NamedParameters = std::vector<std::pair<std::string, torch::Tensor>>;

/// AdamW (Loshchilov and Hutter 2019): the same update as torch::optim::AdamW, fused into one pass
/// over memory. Each parameter, gradient and moment is read once and written once, and all
/// parameters share one parallel region. Parameters must be float32 and on one device; parameters
/// without gradient are unchanged. Results are bit-identical for any number of threads.
///
/// `step` and `gradient_norm` are for the CPU, `step_where` and `gradient_norm_on_device` for any
/// other device.
class AdamW {
 public:
  AdamW(NamedParameters parameters, const AdamWOptions& options);

  void step(double learning_rate);
  /// Same with gradients multiplied by the scalar `factor`, if the bool scalar `updates` is true;
  /// otherwise nothing changes. Modifies the gradients. Does not wait for the device, and therefore
  /// does not change `steps`: see count_step.
  void step_where(const torch::Tensor& updates, double learning_rate, const torch::Tensor& factor);
  /// Counts a step of `step_where` that is known to have updated the parameters.
  void count_step() { ++steps_; }
  void zero_grad();
  /// Returns the L2 norm of all gradients concatenated.
  double gradient_norm() const;
  torch::Tensor gradient_norm_on_device() const;

  /// Returns the first and second moments as "mean.NAME" and "square.NAME". The tensors are not
  /// copied.
  NamedParameters state() const;
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps);

 private:
  struct Slot {
    std::string name;
    torch::Tensor parameter;
    torch::Tensor mean;
    torch::Tensor square;
  };

  AdamWOptions options_;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
  torch::Tensor device_steps_;  // float64 scalar on the device of the parameters
};

}  // namespace projnce::train
