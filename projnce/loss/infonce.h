#pragma once

#include "projnce/loss/loss.h"

namespace projnce::loss {

/// Options of InfonceLoss.
struct InfonceOptions {
  /// Divides similarities; above 0.
  double temperature = 0.07;
  /// If true, averages both directions: first views to second views and vice versa.
  bool symmetric = false;
};

/// InfoNCE on pairs (van den Oord et al., 2018). With t_ij = a_i.b_j/t for pairs (a_i, b_i):
///
///   L = mean_i ( -t_ii + log sum_j e^{t_ij} )
///
/// In a batch the pairs are the two views of each sample: every instance must have exactly two rows
/// among the candidates, the first in order being a, the second b. Without `symmetric` the second
/// views are not anchors. L >= 0; one pair gives 0.
///
/// Parts: alignment, uniformity.
class InfonceLoss : public ContrastiveLoss {
 public:
  explicit InfonceLoss(const InfonceOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;

 private:
  InfonceOptions options_;
};

/// The functional form: row i of `a` [N, D] is paired with row i of `b` [N, D].
/// Parts are computed for kMean only.
LossValue infonce(const torch::Tensor& a, const torch::Tensor& b,
                  const InfonceOptions& options = {}, Reduction reduction = Reduction::kMean);

}  // namespace projnce::loss
