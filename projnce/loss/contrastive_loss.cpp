#include "projnce/loss/contrastive_loss.h"

namespace projnce {

ContrastiveBatch self_batch(torch::Tensor embeddings, torch::Tensor labels, torch::Tensor instances,
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

torch::Tensor ContrastiveLoss::forward(ContrastiveBatch batch) {
  batch.with_parts = false;
  return evaluate(batch).loss;
}

torch::Tensor ContrastiveLoss::logits(const torch::Tensor& /*features*/) {
  return {};
}

torch::Tensor ContrastiveLoss::class_vectors() const {
  return {};
}

}  // namespace projnce
