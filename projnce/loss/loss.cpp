#include "projnce/loss/loss.h"

#include <utility>

#include "projnce/core/error.h"
#include "projnce/projection/class_groups.h"

namespace projnce::loss {

ContrastiveBatch make_batch(torch::Tensor embeddings, torch::Tensor labels, torch::Tensor instances,
                            torch::Tensor features) {
  return {.anchors = embeddings,
          .anchor_labels = labels,
          .candidates = embeddings,
          .candidate_labels = labels,
          .anchor_offset = 0,
          .anchor_instances = instances,
          .candidate_instances = instances,
          .anchor_features = std::move(features)};
}

torch::Tensor reduce(const torch::Tensor& per_anchor, Reduction reduction) {
  switch (reduction) {
    case Reduction::kMean:
      return per_anchor.mean();
    case Reduction::kSum:
      return per_anchor.sum();
    case Reduction::kNone:
      return per_anchor;
  }
  TORCH_CHECK(false, "unknown reduction");
}

torch::Tensor Loss::forward(ContrastiveBatch batch) {
  batch.with_parts = false;
  return evaluate(batch).loss;
}

torch::Tensor Loss::forward(torch::Tensor embeddings, torch::Tensor labels, torch::Tensor instances,
                            torch::Tensor features) {
  return forward(make_batch(std::move(embeddings), std::move(labels), std::move(instances),
                            std::move(features)));
}

torch::Tensor Loss::logits(const torch::Tensor& /*features*/) {
  return {};
}

torch::Tensor Loss::class_vectors() const {
  return {};
}

LossCritic Loss::critic(const torch::Tensor& /*rows*/, const torch::Tensor& /*labels*/,
                        int64_t /*num_classes*/) {
  return {};
}

ClassifierLoss::ClassifierLoss(std::string name, int64_t num_classes, int64_t feature_dim)
    : name_(std::move(name)) {
  if (num_classes < 1 || feature_dim < 1) {
    fail(name_, ": num_classes = ", num_classes, ", feature_dim = ", feature_dim,
         "; the classifier needs at least 1 of each");
  }
  classifier_ = register_module("classifier", torch::nn::Linear(feature_dim, num_classes));
}

torch::Tensor ClassifierLoss::logits(const torch::Tensor& features) {
  const auto width = classifier_->weight.size(1);
  if (!features.defined() || features.dim() != 2 || features.size(1) != width) {
    fail(name_, ": the features have shape ", features.defined() ? concat(features.sizes()) : "[]",
         ", the classifier reads [N, ", width, "]");
  }
  return classifier_->forward(features.to(classifier_->weight.scalar_type()));
}

LossCritic ClassifierLoss::critic(const torch::Tensor& /*rows*/, const torch::Tensor& /*labels*/,
                                  int64_t /*num_classes*/) {
  return {.compares_rows = false};
}

LossValue ClassifierLoss::evaluate(const ContrastiveBatch& batch) {
  const auto scores =
      logits(batch.anchor_features.defined() ? batch.anchor_features : batch.anchors);  // [N, C]
  const auto loss = loss_of(scores, batch.anchor_labels, batch.reduction);
  return {loss, {{"accuracy", accuracy(scores, batch.anchor_labels)}}};
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
  projection::check_labels(labels, logits.size(1), name);
}

torch::Tensor accuracy(const torch::Tensor& logits, const torch::Tensor& labels) {
  return (logits.detach().argmax(/*dim=*/1) == labels).to(logits.scalar_type()).mean();
}

}  // namespace projnce::loss
