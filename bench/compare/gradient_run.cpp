#include "bench/compare/gradient_run.h"

#include <torch/types.h>

#include <cmath>

#include "bench/compare/memory_probe.h"
#include "bench/compare/stopwatch.h"
#include "projnce/core/error.h"

namespace projnce::bench {

namespace {

double norm_of_gradients(const std::vector<torch::Tensor>& leaves) {
  double squares = 0;
  for (const auto& leaf : leaves)
    squares += leaf.grad().to(torch::kFloat64).square().sum().item<double>();
  return std::sqrt(squares);
}

}  // namespace

Run timed(const std::function<double()>& work) {
  const MemoryProbe memory;
  const Stopwatch watch;
  const auto value = work();
  return {.seconds = watch.seconds(),
          .cpu_seconds = watch.cpu_seconds(),
          .peak_bytes = memory.peak_bytes(),
          .value = value};
}

Run timed_gradient(const std::vector<torch::Tensor>& leaves,
                   const std::function<torch::Tensor()>& loss) {
  for (const auto& leaf : leaves) leaf.mutable_grad() = torch::Tensor();
  auto run = timed([&] {
    const auto value = loss();
    value.backward();
    return value.item<double>();
  });
  run.gradient_norm = norm_of_gradients(leaves);
  return run;
}

Contestant gradient_contestant(const std::string& name, const std::string& computes,
                               std::vector<torch::Tensor> leaves,
                               std::function<torch::Tensor()> loss) {
  return {.name = name,
          .computes = computes,
          .run = [leaves = std::move(leaves), loss = std::move(loss)] {
            return timed_gradient(leaves, loss);
          }};
}

void check_memory_probe() {
  constexpr int64_t kFloats = 1 << 20;
  const MemoryProbe memory;
  const auto tensor = torch::zeros({kFloats});
  if (memory.peak_bytes() >= kFloats * static_cast<int64_t>(sizeof(float))) return;
  fail_runtime("benchmark: allocation counting does not work on this system: a tensor of ",
               tensor.nbytes(), " bytes was counted as ", memory.peak_bytes());
}

}  // namespace projnce::bench
