#pragma once

#include "projnce/loss/loss.h"

namespace projnce::loss {

/// Options of SceLoss.
struct SceOptions {
  /// Weight of cross entropy. The authors: 0.1 for ten classes, 6 for a hundred.
  double alpha = 0.1;
  /// Weight of reverse cross entropy. The authors: 1 for ten classes, 0.1 for a hundred.
  double beta = 1;
  /// Replaces log 0; below 0. The default is log 1e-4, as in the authors' code.
  double A = -9.210340371976182;
};

/// Symmetric cross entropy (Wang et al., 2019) of a linear classifier: robust to wrong labels.
///
///   L = alpha CE + beta mean_i (-A) (1 - p_{i,y_i}),   p = softmax of the logits
///
/// See ClassifierLoss for the classifier and the parts.
class SceLoss : public ClassifierLoss {
 public:
  SceLoss(const SceOptions& options, int64_t num_classes, int64_t feature_dim);

 private:
  torch::Tensor loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                        Reduction reduction) override;

  SceOptions options_;
};

/// The functional form: logits [N, C] and labels [N].
torch::Tensor symmetric_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                      const SceOptions& options = {},
                                      Reduction reduction = Reduction::kMean);

}  // namespace projnce::loss
