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

/// Parameters and their names; the name is what state is saved under.
using NamedParameters = std::vector<std::pair<std::string, torch::Tensor>>;

/// AdamW (Loshchilov and Hutter 2019), the same update as torch::optim::AdamW, in one pass over
/// memory: each parameter, gradient and moment is read once and written once, all parameters in one
/// parallel region. Parameters are float32 on the CPU; a parameter without gradient is left as it
/// is. Same bits for any number of threads.
class AdamW {
 public:
  AdamW(NamedParameters parameters, const AdamWOptions& options);

  void step(double learning_rate);
  void zero_grad();
  /// The length of all gradients together, as one vector.
  double gradient_norm() const;

  /// First and second moments as "mean.NAME" and "square.NAME"; the tensors are the live ones.
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
