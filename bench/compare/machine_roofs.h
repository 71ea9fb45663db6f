#pragma once

#include <torch/types.h>

#include <vector>

namespace projnce::bench {

/// Peak rates of this machine, measured in alternation with the contestants, so that clock rate and
/// background load are the same.
class MachineRoofs {
 public:
  explicit MachineRoofs(int threads);

  /// Measures each rate once.
  void measure();

  /// Medians over the turns, in floating-point operations per second.
  double fma_rate() const;
  /// Rate of LibTorch's product of two large matrices.
  double gemm_rate() const;

 private:
  int threads_;
  torch::Tensor left_, right_, product_;
  std::vector<double> fma_rates_;
  std::vector<double> gemm_rates_;
};

}  // namespace projnce::bench
