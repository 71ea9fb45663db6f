#pragma once

#include <torch/nn/modules/linear.h>

#include <string>

#include "projnce/loss/loss.h"

namespace projnce::loss {

/// A loss of a linear classifier over the encoder's features: it compares no rows with each other.
///
/// The classifier belongs to the module (`classifier.weight`, `classifier.bias`) and reads
/// `anchor_features`, or the anchors if the batch has none. Throws an Error if a label is outside
/// 0..C-1.
///
/// Parts: accuracy, the share of anchors whose highest logit is their label's.
class ClassifierLoss : public Loss {
 public:
  LossValue evaluate(const ContrastiveBatch& batch) override;
  torch::Tensor logits(const torch::Tensor& features) override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 protected:
  /// `name` begins the messages of errors.
  ClassifierLoss(std::string name, int64_t num_classes, int64_t feature_dim);

  /// The loss of logits [N, C] with labels [N] on the same device, which are checked.
  virtual torch::Tensor loss_of(const torch::Tensor& logits, const torch::Tensor& labels,
                                Reduction reduction) = 0;

 private:
  std::string name_;
  torch::nn::Linear classifier_{nullptr};
};

/// Throws an Error that begins with `name` if logits [N, C] and labels [N] do not match.
void check_logits(const torch::Tensor& logits, const torch::Tensor& labels,
                  const std::string& name);
/// The share of rows whose highest logit is their label's; a scalar.
torch::Tensor accuracy(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace projnce::loss
