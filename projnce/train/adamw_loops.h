#pragma once

#include <cstdint>

namespace projnce::train {

/// The numbers of one step of AdamW that are the same for every element.
struct AdamWFactors {
  float keep;  // 1 - learning rate * weight decay
  float beta1;
  float rest1;  // 1 - beta1, subtracted in double: in float it would be off by 5e-5 of itself
  float beta2;
  float rest2;
  float step_size;   // learning rate / (1 - beta1^t)
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
};

/// Flat arrays of one parameter.
struct AdamWArrays {
  float* parameter;
  const float* gradient;
  float* mean;
  float* square;

  AdamWArrays from(int64_t first) const {
    return {parameter + first, gradient + first, mean + first, square + first};
  }
};

/// One step of `count` elements; same bits however an array is cut into ranges and whatever
/// instructions the processor has.
void adamw_range(const AdamWFactors& factors, const AdamWArrays& arrays, int64_t count);

/// The sum of squares in double, in an order that depends on `count` alone.
double sum_of_squares(const float* values, int64_t count);

}  // namespace projnce::train
