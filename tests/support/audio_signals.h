#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "projnce/core/seed.h"

namespace projnce::testing {

/// A sine wave with amplitude 0.5.
inline std::vector<float> tone(int rate, double hertz, size_t samples) {
  std::vector<float> values(samples);
  for (size_t i = 0; i < samples; ++i) {
    const double turns = hertz * static_cast<double>(i) / rate;
    values[i] = static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * turns));
  }
  return values;
}

/// White noise between -0.3 and 0.3.
inline std::vector<float> hiss(size_t samples, uint64_t seed) {
  std::vector<float> values(samples);
  Random random(seed);
  for (float& value : values) value = static_cast<float>(random.uniform(-0.3, 0.3));
  return values;
}

}  // namespace projnce::testing
