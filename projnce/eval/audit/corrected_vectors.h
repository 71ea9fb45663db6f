#pragma once

#include <cstdint>
#include <vector>

#include "projnce/eval/audit/noise_model.h"

namespace projnce {

/// Some rows of a matrix of embeddings and their labels, which stay the caller's.
struct LabelledRows {
  const float* rows;  // [N, D]
  const int64_t* labels;
  int64_t dim;
  int64_t classes;
  std::vector<int64_t> used;  ///< the rows that are learned from
};

/// A vector and an offset for each class; the score of a row is w.z + b.
struct ClassScorer {
  int64_t dim;
  int64_t classes;
  std::vector<double> parameters;  // [C, D + 1], the offset last

  /// Scores of one row, [C].
  void score(const float* row, float* out) const;
};

/// Learns class vectors that labels which the noise model calls wrong do not drag along, from where
/// `scorer` is:
///
///   min -sum_i log sum_c softmax_c(w_c.z_i + b_c) T[c, g_i] + decay / 2 sum_c |w_c|^2
///
/// Rows are best near unit length. Results do not depend on the threads.
void learn_corrected_vectors(ClassScorer& scorer, const LabelledRows& data, const NoiseModel& noise,
                             int max_steps);

}  // namespace projnce
