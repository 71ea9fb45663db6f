#pragma once

#include <algorithm>
#include <cstdint>

#include "projnce/theory/experiment.h"

namespace projnce {

/// Settings that all experiments share.
struct TheoryOptions {
  uint64_t seed = 0;
  /// Scales numbers of repetitions, samples and steps; tests use less than 1.
  double effort = 1;

  /// `count` times the effort, at least `least`.
  int64_t scaled(int64_t count, int64_t least = 4) const {
    return std::max(least, static_cast<int64_t>(static_cast<double>(count) * effort));
  }
};

TheoryResult infonce_convergence(const TheoryOptions& options);  ///< T1
TheoryResult optimal_critic(const TheoryOptions& options);       ///< T2
TheoryResult adjustment_term(const TheoryOptions& options);      ///< T3
TheoryResult supcon_and_projnce(const TheoryOptions& options);   ///< T4
TheoryResult extreme_sources(const TheoryOptions& options);      ///< T5
TheoryResult kernel_regression(const TheoryOptions& options);    ///< T6
TheoryResult effect_of_ratio(const TheoryOptions& options);      ///< T7
TheoryResult trained_encoders(const TheoryOptions& options);     ///< T8

}  // namespace projnce
