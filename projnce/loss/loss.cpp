#include "projnce/loss/loss.h"

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

}  // namespace projnce::loss
