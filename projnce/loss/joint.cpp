#include "projnce/loss/joint.h"

#include <utility>

#include "projnce/core/error.h"

namespace projnce::loss {

namespace {

void check_theta(double theta) {
  if (!(theta >= 0 && theta <= 1)) {
    fail("joint: theta = ", theta, " must be a number between 0 and 1");
  }
}

}  // namespace

LossValue joint(const LossValue& supervised, const LossValue& self, double theta) {
  check_theta(theta);
  LossValue value{theta * supervised.loss + (1 - theta) * self.loss,
                  {{"loss_sup", supervised.loss.detach()}, {"loss_self", self.loss.detach()}}};
  value.parts.insert(value.parts.end(), supervised.parts.begin(), supervised.parts.end());
  return value;
}

JointLoss::JointLoss(LossPtr supervised, const JointOptions& options) : options_(options) {
  if (!supervised) fail("joint: the supervised loss is missing");
  check_theta(options.theta);
  check_options(options.self, "joint");
  supervised_ = register_module("supervised", std::move(supervised));
}

LossValue JointLoss::evaluate(const ContrastiveBatch& batch) {
  auto value = joint(supervised_->evaluate(batch), simclr(batch, options_.self), options_.theta);
  if (batch.reduction != Reduction::kMean) value.parts.clear();
  return value;
}

torch::Tensor JointLoss::logits(const torch::Tensor& features) {
  return supervised_->logits(features);
}

torch::Tensor JointLoss::class_vectors() const {
  return supervised_->class_vectors();
}

LossCritic JointLoss::critic(const torch::Tensor& rows, const torch::Tensor& labels,
                             int64_t num_classes) {
  return supervised_->critic(rows, labels, num_classes);
}

}  // namespace projnce::loss
