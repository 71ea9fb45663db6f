#include "projnce/loss/sce.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/loss/ce.h"

namespace projnce {

namespace {

void check_options(const SceOptions& options) {
  const bool finite = std::isfinite(options.alpha) && std::isfinite(options.beta);
  if (!finite || options.alpha < 0 || options.beta < 0) {
    fail("sce: alpha = ", options.alpha, " and beta = ", options.beta, " must be at least 0");
  }
  if (!std::isfinite(options.A) || options.A >= 0) {
    fail("sce: A = ", options.A, " stands for log 0 and must be below 0");
  }
}

}  // namespace

torch::Tensor symmetric_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                      const SceOptions& options, Reduction reduction) {
  check_options(options);
  check_logits(logits, labels, "sce");
  const auto log_p = logits.log_softmax(/*dim=*/1).gather(1, labels.unsqueeze(1)).squeeze(1);
  // 1 - p as -expm1(log p) keeps its digits where p is near 1.
  return reduce(options.beta * options.A * log_p.expm1() - options.alpha * log_p, reduction);
}

SceLoss::SceLoss(const SceOptions& options, int64_t num_classes, int64_t feature_dim)
    : options_(options) {
  check_options(options);
  classifier_ = register_module("classifier", make_classifier(feature_dim, num_classes, "sce"));
}

torch::Tensor SceLoss::logits(const torch::Tensor& features) {
  return classify(classifier_, features, "sce");
}

LossValue SceLoss::evaluate(const ContrastiveBatch& batch) {
  const auto scores = classify(classifier_, batch, "sce");
  const auto loss = symmetric_cross_entropy(scores, batch.anchor_labels, options_, batch.reduction);
  return {loss, {{"accuracy", accuracy(scores, batch.anchor_labels)}}};
}

}  // namespace projnce
