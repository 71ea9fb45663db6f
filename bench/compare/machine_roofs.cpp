#include "bench/compare/machine_roofs.h"

#include <torch/torch.h>

#include <cmath>

#include "bench/compare/fma_peak.h"
#include "bench/compare/stopwatch.h"

namespace projnce::bench {

namespace {

/// Large enough that the product's cost is arithmetic, small enough to take 0.1 s.
constexpr int64_t kGemmSize = 1536;

}  // namespace

MachineRoofs::MachineRoofs(int threads)
    : threads_(threads),
      left_(torch::randn({kGemmSize, kGemmSize})),
      right_(torch::randn({kGemmSize, kGemmSize})),
      product_(torch::mm(left_, right_)) {}

void MachineRoofs::measure() {
  const Stopwatch fma;
  const auto flops = run_fma_chains(threads_);
  fma_rates_.push_back(flops / fma.seconds());

  const torch::NoGradGuard no_gradient;
  const Stopwatch gemm;
  torch::mm_out(product_, left_, right_);
  gemm_rates_.push_back(2 * std::pow(kGemmSize, 3) / gemm.seconds());
}

double MachineRoofs::fma_rate() const {
  return median(fma_rates_);
}

double MachineRoofs::gemm_rate() const {
  return median(gemm_rates_);
}

}  // namespace projnce::bench
