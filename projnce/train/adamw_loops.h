#pragma once

#include <cstdint>

namespace projnce::train {

/// Constants of one AdamW step, shared by all elements.
struct AdamWFactors {
  float keep;  // 1 - learning rate * weight decay
  float beta1;
  float rest1;  // 1 - beta1, computed in double: in float its relative error would be 5e-5
  float beta2;
  float rest2;
  float step_size;   // learning rate / (1 - beta1^t)
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
};

/// Pointers to the flat arrays of one parameter.
struct AdamWArrays {
  float* parameter;
  const float* gradient;
  float* mean;
  float* square;

  AdamWArrays from(int64_t first) const {
    return {parameter + first, gradient + first, mean + first, square + first};
  }
};

/// Updates `count` elements. Bit-identical regardless of how an array is split into ranges and of
/// the instruction set.
void adamw_range(const AdamWFactors& factors, const AdamWArrays& arrays, int64_t count);

/// Returns the sum of squares in double, in an order that depends only on `count`.
double sum_of_squares(const float* values, int64_t count);

}  // namespace projnce::train
