#include "projnce/train/adamw_loops.h"

#include <cmath>

#include "projnce/core/cpu_clones.h"

namespace projnce::train {

PROJNCE_CPU_CLONES
void adamw_range(const AdamWFactors& factors, const AdamWArrays& arrays, int64_t count) {
  const AdamWFactors f = factors;  // a local copy cannot alias the stores below
  float* __restrict parameter = arrays.parameter;
  const float* __restrict gradient = arrays.gradient;
  float* __restrict mean = arrays.mean;
  float* __restrict square = arrays.square;
  for (int64_t i = 0; i < count; ++i) {
    const float g = gradient[i];
    const float m = f.beta1 * mean[i] + f.rest1 * g;
    const float s = f.beta2 * square[i] + f.rest2 * g * g;
    const float denominator = std::sqrt(s) * f.root_scale + f.epsilon;
    parameter[i] = parameter[i] * f.keep - f.step_size * m / denominator;
    mean[i] = m;
    square[i] = s;
  }
}

PROJNCE_CPU_CLONES
double sum_of_squares(const float* values, int64_t count) {
  // A fixed number of partial sums keeps the order independent of the vector width.
  constexpr int64_t kPartials = 32;
  double partial[kPartials] = {};
  int64_t i = 0;
  for (; i + kPartials <= count; i += kPartials) {
    for (int64_t k = 0; k < kPartials; ++k) {
      const double value = values[i + k];
      partial[k] += value * value;
    }
  }
  for (int64_t k = 0; i + k < count; ++k) {
    const double value = values[i + k];
    partial[k] += value * value;
  }
  double total = 0;
  for (const double sum : partial) total += sum;
  return total;
}

}  // namespace projnce::train
