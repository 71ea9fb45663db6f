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
/// parameters share one parallel region. Parameters must be float32 on the CPU; parameters without
/// gradient are unchanged. Results are bit-identical for any number of threads.
class AdamW {
 public:
  AdamW(NamedParameters parameters, const AdamWOptions& options);

  void step(double learning_rate);
  void zero_grad();
  /// Returns the L2 norm of all gradients concatenated.
  double gradient_norm() const;

  /// Returns the first and second moments as "mean.NAME" and "square.NAME". The tensors are not
  /// copied.
  NamedParameters state() const;
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

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
};

}  // namespace projnce::train
