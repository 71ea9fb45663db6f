#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "projnce/train/step_report.h"
#include "projnce/train/train_options.h"

namespace projnce::train {

/// Loss scale of float16 training: gradients of activations are multiplied by it, because many are
/// too small for float16.
struct LossScale {
  double scale = 65536;
  int64_t steps = 0;  ///< steps since it changed
};

/// Training steps on a device other than the CPU that the host has not read yet.
///
/// Waiting for the device in each step would leave it idle while the host prepares the next one.
/// So the decision whether a step updates the weights is a tensor on the device, and the numbers of
/// several steps are copied to the host together.
class DeviceSteps {
 public:
  DeviceSteps(const torch::Device& device, const TrainOptions& options);

  /// Sets the state of a new or resumed training: the number of consecutive steps skipped up to
  /// now, and the loss scale.
  void start(int64_t nonfinite, const LossScale& scale);

  /// Factor of the gradients, a scalar; undefined unless the precision is float16.
  const torch::Tensor& scale() const { return scale_; }

  /// Adds a step with its loss and parts [1 + parts], in the order of `names`, and its gradient
  /// norm. Returns a bool scalar on the device: true if the step updates the weights. It does not
  /// if a number is not finite, or after more than `skip_nonfinite` such steps in a row; the
  /// training stops when the host reads them. `samples` are those of the step, without images.
  torch::Tensor add(StepReport report, std::vector<std::string> names, loader::Batch samples,
                    const torch::Tensor& values, const torch::Tensor& norm);

  /// A step that the host has read.
  struct Finished {
    StepReport report;
    loader::Batch samples;
    /// The loss scale was too large: the step is skipped, the next one has a smaller scale.
    bool overflow = false;
    LossScale scale = {};  ///< after the step
  };
  /// Waits for the device and returns the steps that were added since the last call.
  std::vector<Finished> take();

  int64_t waiting() const { return static_cast<int64_t>(pending_.size()); }

 private:
  struct Pending {
    StepReport report;
    std::vector<std::string> names;
    loader::Batch samples;
    torch::Tensor numbers;  // values, norm, overflow, scale, steps since the scale changed
  };

  torch::Tensor update_scale(const torch::Tensor& finite, const torch::Tensor& overflow);

  torch::Device device_;
  int64_t skip_nonfinite_;
  bool scales_;
  torch::Tensor consecutive_;  // scalar: number of non-finite steps in a row
  torch::Tensor halted_;       // bool scalar: the limit of them was exceeded
  torch::Tensor scale_;
  torch::Tensor scale_steps_;
  std::vector<Pending> pending_;
};

}  // namespace projnce::train
