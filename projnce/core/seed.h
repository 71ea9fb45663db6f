#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

namespace projnce {

/// The splitmix64 output function: a bijection that turns counters into random-looking words.
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

inline constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15ULL;

/// Number t of the stream `seed`, uniform in [0, 1); any t can be asked for on its own.
constexpr double uniform_at(uint64_t seed, uint64_t t) {
  return static_cast<double>(mix64(seed + t * kGoldenGamma) >> 11) * 0x1.0p-53;
}

/// A seed for one purpose out of the run's seed, so that a batch depends on (seed, epoch, index)
/// and not on the threads that made it.
constexpr uint64_t derive_seed(uint64_t seed, uint64_t a, uint64_t b = 0) {
  return mix64(mix64(mix64(seed + kGoldenGamma) + a + kGoldenGamma) + b + kGoldenGamma);
}

/// Small generator for loader threads: eight bytes of state, no sharing.
class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(seed) {}

  constexpr uint64_t next() { return mix64(state_ += kGoldenGamma); }

  /// Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in 0..count-1. REQUIRES: count > 0.
  constexpr int64_t below(int64_t count) {
    return static_cast<int64_t>(uniform() * static_cast<double>(count));
  }

  /// Brings values into an order of chance (Fisher and Yates), the same with every standard
  /// library, which std::shuffle's is not.
  template <class Values>
  constexpr void shuffle(Values& values) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
    }
  }

  /// Two independent standard normal numbers out of two draws (Box and Muller), the same with every
  /// standard library, which std::normal_distribution is not. The functions are single precision:
  /// noise does not need more, and comes by the million.
  std::pair<double, double> normal_pair() {
    const float radius = std::sqrt(-2 * std::log(static_cast<float>(1 - uniform())));
    const auto angle = static_cast<float>(2 * std::numbers::pi * uniform());
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
  /// The first of a pair; also takes two draws.
  double normal() { return normal_pair().first; }

 private:
  uint64_t state_;
};

}  // namespace projnce
