#include "projnce/loss/ce.h"

#include "projnce/core/error.h"
#include "projnce/projection/class_matrix.h"

namespace projnce {

torch::nn::Linear make_classifier(int64_t feature_dim, int64_t num_classes,
                                  const std::string& name) {
  if (num_classes < 1 || feature_dim < 1) {
    fail(name, ": num_classes = ", num_classes, ", feature_dim = ", feature_dim,
         "; the classifier needs at least 1 of each");
  }
  return torch::nn::Linear(feature_dim, num_classes);
}

torch::Tensor classify(torch::nn::Linear& classifier, const torch::Tensor& features,
                       const std::string& name) {
  const auto width = classifier->weight.size(1);
  if (!features.defined() || features.dim() != 2 || features.size(1) != width) {
    fail(name, ": the features have shape ", features.defined() ? concat(features.sizes()) : "[]",
         ", the classifier reads [N, ", width, "]");
  }
  return classifier->forward(features.to(classifier->weight.scalar_type()));
}

torch::Tensor classify(torch::nn::Linear& classifier, const ContrastiveBatch& batch,
                       const std::string& name) {
  const auto& features = batch.anchor_features.defined() ? batch.anchor_features : batch.anchors;
  return classify(classifier, features, name);
}

void check_logits(const torch::Tensor& logits, const torch::Tensor& labels,
                  const std::string& name) {
  if (logits.dim() != 2 || logits.numel() == 0 || !logits.is_floating_point()) {
    fail(name, ": the logits have shape ", logits.sizes(), " and type ", logits.scalar_type(),
         ", expected [N, C] of float32 or float64 with at least one row");
  }
  if (!labels.defined() || labels.dim() != 1 || labels.size(0) != logits.size(0) ||
      labels.scalar_type() != torch::kInt64) {
    fail(name, ": expected ", logits.size(0), " labels of type int64, one for each row");
  }
  check_labels(labels, logits.size(1), name);
}

torch::Tensor accuracy(const torch::Tensor& logits, const torch::Tensor& labels) {
  return (logits.detach().argmax(/*dim=*/1) == labels).to(logits.scalar_type()).mean();
}

torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                            Reduction reduction) {
  check_logits(logits, labels, "ce");
  return reduce(torch::cross_entropy_loss(logits, labels, /*weight=*/{}, at::Reduction::None),
                reduction);
}

CeLoss::CeLoss(const CeOptions& options) {
  classifier_ = register_module("classifier",
                                make_classifier(options.feature_dim, options.num_classes, "ce"));
}

torch::Tensor CeLoss::logits(const torch::Tensor& features) {
  return classify(classifier_, features, "ce");
}

LossValue CeLoss::evaluate(const ContrastiveBatch& batch) {
  const auto scores = classify(classifier_, batch, "ce");
  const auto loss = cross_entropy(scores, batch.anchor_labels, batch.reduction);
  return {loss, {{"accuracy", accuracy(scores, batch.anchor_labels)}}};
}

}  // namespace projnce
