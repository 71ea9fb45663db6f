#include "bench/compare/fma_peak.h"

#include <cstdint>

namespace projnce::bench {

namespace {

constexpr int64_t kSteps = 4'000'000;

using Vector16 = float __attribute__((vector_size(16)));
using Vector32 = float __attribute__((vector_size(32)));
using Vector64 = float __attribute__((vector_size(64)));

/// Set at run time, so that the compiler cannot evaluate the chains.
volatile float factor = 0.999F;
volatile float increment = 0.001F;
volatile float sink = 0;

/// Independent chains: more than latency times number of units, at most as many as there are
/// registers besides the two constants. Inlined into functions with target attributes.
template <class Vector, int kChains>
[[gnu::always_inline]] inline void run_chains() {
  const Vector b = Vector{} + factor;
  const Vector c = Vector{} + increment;
  Vector chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = Vector{} + static_cast<float>(i);
  for (int64_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) chain[i] = chain[i] * b + c;
  }
  for (int i = 1; i < kChains; ++i) chain[0] += chain[i];
  sink = chain[0][0];
}

void plain_chains() {
  run_chains<Vector16, 12>();
}

constexpr double flops(int chains, int lanes) {
  return 2.0 * chains * lanes * static_cast<double>(kSteps);
}

struct Kernel {
  const char* instructions;
  void (*run)();
  double flops;
};

constexpr Kernel kPlain = {"plain", plain_chains, flops(12, 4)};

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void avx2_chains() {
  run_chains<Vector32, 12>();
}

[[gnu::target("avx512f")]] void avx512_chains() {
  run_chains<Vector64, 24>();
}

Kernel best_kernel() {
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", avx512_chains, flops(24, 16)};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {"AVX2", avx2_chains, flops(12, 8)};
  }
  return kPlain;
}
#else
Kernel best_kernel() {
  return kPlain;
}
#endif

}  // namespace

std::string fma_instructions() {
  return best_kernel().instructions;
}

double run_fma_chains(int threads) {
  const auto kernel = best_kernel();
#pragma omp parallel num_threads(threads)
  kernel.run();
  return threads * kernel.flops;
}

}  // namespace projnce::bench
