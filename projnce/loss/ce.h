#pragma once

#include "projnce/loss/loss.h"

namespace projnce::loss {

/// Sizes of CeLoss.
struct CeOptions {
  /// C: labels run from 0 to C-1.
  int64_t num_classes = 0;
  /// F: width of the features that the classifier reads.
  int64_t feature_dim = 0;
};

/// Cross entropy of a linear classifier, the baseline without contrast.
///
///   L = mean_i ( -x_{i,y_i} + log sum_c e^{x_ic} ),   x = Linear(features)
///
/// Equal logits give log C. See ClassifierLoss for the classifier and the parts.
class CeLoss : public ClassifierLoss {
 public:
  explicit CeLoss(const CeOptions& options);

 private:
  torch::Tensor loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                        Reduction reduction) override;
};

/// The functional form: logits [N, C] and labels [N].
torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                            Reduction reduction = Reduction::kMean);

}  // namespace projnce::loss
