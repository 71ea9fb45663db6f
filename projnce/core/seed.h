#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

namespace projnce {

/// The splitmix64 output function: a bijection that maps counters to pseudorandom words.
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

inline constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15ULL;

/// Returns number t of the stream `seed`, uniform in [0, 1). Supports random access.
constexpr double uniform_at(uint64_t seed, uint64_t t) {
  return static_cast<double>(mix64(seed + t * kGoldenGamma) >> 11) * 0x1.0p-53;
}

/// Derives a seed for one purpose from the run's seed, so that a batch depends on
/// (seed, epoch, index) and not on the number of threads.
constexpr uint64_t derive_seed(uint64_t seed, uint64_t a, uint64_t b = 0) {
  return mix64(mix64(mix64(seed + kGoldenGamma) + a + kGoldenGamma) + b + kGoldenGamma);
}

/// Small pseudorandom generator (splitmix64) with eight bytes of state, one per thread.
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

  /// Shuffles values in place (Fisher-Yates). Unlike std::shuffle, gives the same order with every
  /// standard library.
  template <class Values>
  constexpr void shuffle(Values& values) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
    }
  }

  /// Returns two independent standard normal numbers from two draws (Box-Muller). Unlike
  /// std::normal_distribution, gives the same numbers with every standard library. Computed in
  /// single precision: sufficient for noise, which is drawn by the million.
  std::pair<double, double> normal_pair() {
    const float radius = std::sqrt(-2 * std::log(static_cast<float>(1 - uniform())));
    const auto angle = static_cast<float>(2 * std::numbers::pi * uniform());
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
  /// Returns the first of a pair; also consumes two draws.
  double normal() { return normal_pair().first; }

 private:
  uint64_t state_;
};

}  // namespace projnce
