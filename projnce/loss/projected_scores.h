#pragma once

#include <torch/types.h>

#include <optional>

#include "projnce/loss/contrast_rows.h"
#include "projnce/loss/pair_scores.h"

namespace projnce {

/// Scores z_i . g / t of every anchor with the vectors of a projection. Where the vectors depend on
/// the class alone, a sum over candidates is a sum over classes weighted by their sizes: O(N K D)
/// time and O((N + K) D) memory.
class ProjectedScores {
 public:
  ProjectedScores(const ContrastRows& rows, const Projected& projected, double temperature);

  /// With class centroids from which each anchor is left out, for its own class alone: a class of
  /// one row keeps it. `detach`: no gradient into the centroids.
  static ProjectedScores of_centroids_without_anchor(const ContrastRows& rows, double temperature,
                                                     bool detach);

  /// Score of each anchor with the vector of its own class (or its own row), [N].
  torch::Tensor own() const { return own_; }

  /// log sum_k e^{z_i . g_k / t} over the candidates k that remain, [N]; 0, without gradient, where
  /// none does.
  torch::Tensor log_mass(Leave leave) const;

 private:
  torch::Tensor pair_mass(Leave leave) const;

  const ContrastRows& rows_;
  torch::Tensor own_;
  std::optional<PairScores> pairs_;  // vectors for each row
  torch::Tensor other_classes_;      // [N]: the mass of all classes but the anchor's
};

}  // namespace projnce
