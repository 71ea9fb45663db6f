#include "bench/compare/machine_roofs.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "bench/compare/fma_peak.h"
#include "bench/compare/stopwatch.h"

namespace projnce::bench {

namespace {

/// Large enough to be compute-bound, small enough to take 0.1 s.
constexpr int64_t kGemmSize = 1536;
constexpr double kRoofSeconds = 0.2;

/// Best of several runs: a short run may overlap with threads of the previous contestant that still
/// spin.
template <class Work>
double best_rate(const Work& work) {
  double best = 0;
  const Stopwatch all;
  while (all.seconds() < kRoofSeconds) {
    const Stopwatch one;
    const double flops = work();
    best = std::max(best, flops / one.seconds());
  }
  return best;
}

}  // namespace

MachineRoofs::MachineRoofs(int threads)
    : threads_(threads),
      left_(torch::randn({kGemmSize, kGemmSize})),
      right_(torch::randn({kGemmSize, kGemmSize})),
      product_(torch::mm(left_, right_)) {}

void MachineRoofs::measure() {
  fma_rates_.push_back(best_rate([this] { return run_fma_chains(threads_); }));

  const torch::NoGradGuard no_gradient;
  gemm_rates_.push_back(best_rate([this] {
    torch::mm_out(product_, left_, right_);
    return 2 * std::pow(kGemmSize, 3);
  }));
}

double MachineRoofs::fma_rate() const {
  return median(fma_rates_);
}

double MachineRoofs::gemm_rate() const {
  return median(gemm_rates_);
}

}  // namespace projnce::bench
