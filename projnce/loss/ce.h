#pragma once

#include <torch/nn/modules/linear.h>

#include "projnce/loss/contrastive_loss.h"

namespace projnce {

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
/// The classifier belongs to the module and reads `anchor_features`, or the anchors where the batch
/// has none. Equal logits give log C. A label outside 0..C-1 is an Error.
///
/// Parts: accuracy, the share of anchors whose highest logit is their label's.
class CeLoss : public ContrastiveLoss {
 public:
  explicit CeLoss(const CeOptions& options);
  LossValue evaluate(const ContrastiveBatch& batch) override;
  torch::Tensor logits(const torch::Tensor& features) override;

 private:
  torch::nn::Linear classifier_{nullptr};
};

/// The functional form: logits [N, C] and labels [N].
torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                            Reduction reduction = Reduction::kMean);

/// What ce and sce share: the classifier; `name` begins the sentences of errors here and below.
torch::nn::Linear make_classifier(int64_t feature_dim, int64_t num_classes,
                                  const std::string& name);
/// Logits of features [N, F] -> [N, C].
torch::Tensor classify(torch::nn::Linear& classifier, const torch::Tensor& features,
                       const std::string& name);
/// Logits of the batch's features, or of its anchors where it has none.
torch::Tensor classify(torch::nn::Linear& classifier, const ContrastiveBatch& batch,
                       const std::string& name);
/// Throws where logits [N, C] and labels [N] do not fit together.
void check_logits(const torch::Tensor& logits, const torch::Tensor& labels,
                  const std::string& name);
/// The share of rows whose highest logit is their label's; a scalar.
torch::Tensor accuracy(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace projnce
