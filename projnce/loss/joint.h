#pragma once

#include "projnce/loss/loss.h"
#include "projnce/loss/simclr.h"

namespace projnce::loss {

/// Options of JointLoss.
struct JointOptions {
  /// 0 <= theta <= 1: weight of the supervised loss; SimCLR has the weight 1 - theta.
  double theta = 0.5;
  /// Options of SimCLR. In configurations its temperature is that of the supervised loss.
  SimclrOptions self = {};
};

/// Joint training (after Cui et al., 2023): a supervised and an unsupervised contrastive loss on
/// the same embeddings, which limits the influence of wrong labels.
///
///   L = theta L_sup + (1 - theta) L_SimCLR
///
/// Needs instances. theta = 0 is SimCLR, theta = 1 the supervised loss.
///
/// Parts: loss_sup, loss_self, then the parts of the supervised loss.
class JointLoss : public ContrastiveLoss {
 public:
  JointLoss(LossPtr supervised, const JointOptions& options = {});
  LossValue evaluate(const ContrastiveBatch& batch) override;
  torch::Tensor logits(const torch::Tensor& features) override;
  torch::Tensor class_vectors() const override;
  LossCritic critic(const torch::Tensor& rows, const torch::Tensor& labels,
                    int64_t num_classes) override;

 private:
  LossPtr supervised_;
  JointOptions options_;
};

/// The functional form, for given values.
LossValue joint(const LossValue& supervised, const LossValue& self, double theta);

}  // namespace projnce::loss
