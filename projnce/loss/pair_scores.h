#pragma once

#include <torch/types.h>

#include "projnce/loss/contrast_rows.h"

namespace projnce {

/// Which candidates of an anchor a sum runs over.
enum class Among {
  kAll,
  kOthers,            ///< all but the anchor itself
  kPositives,         ///< the rest of its class
  kPositivesAndSelf,  ///< its class
  kNegatives,         ///< the other classes
};

/// Scores s_ij = z_i . v_j / t of every anchor with a vector for every candidate, usually the
/// candidate itself. Losses that need all pairs ask for masses here and never for the matrix where
/// a mass is enough, so that the values need not be kept.
class PairScores {
 public:
  PairScores(const ContrastRows& rows, const torch::Tensor& vectors, double temperature);

  /// log sum e^{s_ij} over the named candidates, [N]; 0, without gradient, where there are none.
  torch::Tensor log_mass(Among among) const;

  /// All scores, [N, M].
  const torch::Tensor& values() const { return values_; }
  /// Which of them are meant, [N, M], bool.
  torch::Tensor mask(Among among) const;

 private:
  torch::Tensor values_;
  torch::Tensor is_self_;     // [N, M], bool
  torch::Tensor same_class_;  // [N, M], bool
};

/// Row by row log sum of exponentials over the marked entries; 0, without gradient, for a row that
/// has none marked.
torch::Tensor masked_logsumexp(const torch::Tensor& values, const torch::Tensor& mask);

struct PositiveOptions {
  bool include_self = false;
  bool detach = false;  ///< treat the positives as constants
};

/// Mean score of each anchor with its positives, [N], through class sums in O(N D) because it is
/// linear; 0 for an anchor without positives.
torch::Tensor mean_positive_score(const ContrastRows& rows, double temperature,
                                  const PositiveOptions& options);

}  // namespace projnce
