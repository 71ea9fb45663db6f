#pragma once

#include <algorithm>
#include <cstdint>

#include "projnce/theory/experiment.h"

namespace projnce::theory {

/// Settings that all experiments share.
struct TheoryOptions {
  uint64_t seed = 0;
  /// Factor of the numbers of repetitions, rows and training steps. Below 1, which tests use, an
  /// experiment also skips its largest batches.
  double effort = 1;

  /// `count` times the effort, at least `least`.
  int64_t scaled(int64_t count, int64_t least = 4) const {
    return std::max(least, static_cast<int64_t>(static_cast<double>(count) * effort));
  }
  /// True if the experiment runs at its full size.
  bool full() const { return effort >= 1; }
};

TheoryResult infonce_convergence(const TheoryOptions& options);  ///< T1
TheoryResult optimal_critic(const TheoryOptions& options);       ///< T2
TheoryResult adjustment_term(const TheoryOptions& options);      ///< T3
TheoryResult supcon_and_projnce(const TheoryOptions& options);   ///< T4
TheoryResult extreme_sources(const TheoryOptions& options);      ///< T5
TheoryResult kernel_regression(const TheoryOptions& options);    ///< T6
TheoryResult effect_of_ratio(const TheoryOptions& options);      ///< T7
TheoryResult trained_encoders(const TheoryOptions& options);     ///< T8

}  // namespace projnce::theory
