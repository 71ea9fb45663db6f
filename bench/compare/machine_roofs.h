#pragma once

#include <torch/types.h>

#include <vector>

namespace projnce::bench {

/// What this machine can do at most, measured in turn with the contestants so that all meet the
/// same clock rate and the same neighbors.
class MachineRoofs {
 public:
  explicit MachineRoofs(int threads);

  /// One turn for each roof.
  void measure();

  /// Medians over the turns, floating point operations in a second.
  double fma_rate() const;
  /// Of LibTorch's product of two large matrices.
  double gemm_rate() const;

 private:
  int threads_;
  torch::Tensor left_, right_, product_;
  std::vector<double> fma_rates_;
  std::vector<double> gemm_rates_;
};

}  // namespace projnce::bench
