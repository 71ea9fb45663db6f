#include "projnce/train/global_loss.h"

#include <torch/types.h>

#include <numeric>
#include <vector>

#include "projnce/train/gradient_cache.h"

namespace projnce {

namespace {

/// The rows of all ranks, in the order of the ranks.
struct GatheredRows {
  std::vector<int64_t> counts;  // of each rank
  torch::Tensor embeddings;     // [M, D], a leaf
  torch::Tensor labels;         // [M]
  torch::Tensor instances;      // [M]
  int64_t first = 0;            // of this rank's rows
  int64_t own = 0;

  int64_t total() const { return embeddings.size(0); }
};

GatheredRows gather(Ranks& ranks, const Encoded& leaves, const Batch& batch) {
  GatheredRows rows;
  rows.own = leaves.embeddings.size(0);
  rows.counts = ranks.gather_counts(rows.own);
  const auto mine = rows.counts.begin() + ranks.rank();
  rows.first = std::accumulate(rows.counts.begin(), mine, int64_t{0});
  const auto names = torch::stack({batch.labels, batch.indices}, 1).repeat({batch.views, 1});
  const auto all_names = ranks.gather_rows(names, rows.counts);  // [M, 2]
  rows.labels = all_names.select(1, 0).contiguous();
  rows.instances = all_names.select(1, 1).contiguous();
  rows.embeddings = ranks.gather_rows(leaves.embeddings.detach(), rows.counts).requires_grad_();
  return rows;
}

ContrastiveBatch batch_of(const GatheredRows& rows, const torch::Tensor& features) {
  return {.anchors = rows.embeddings.narrow(0, rows.first, rows.own),
          .anchor_labels = rows.labels.narrow(0, rows.first, rows.own),
          .candidates = rows.embeddings,
          .candidate_labels = rows.labels,
          .anchor_offset = rows.first,
          .anchor_instances = rows.instances.narrow(0, rows.first, rows.own),
          .candidate_instances = rows.instances,
          .anchor_features = features};
}

LossValue weighted(LossValue value, double weight) {
  value.loss = value.loss * weight;
  for (auto& [name, part] : value.parts) part = part * weight;
  return value;
}

/// A rank without rows has nothing to add. It looks at everybody's rows with weight 0 all the same,
/// to know the names of the parts and what the loss has gradients for.
LossValue weightless_loss(Loss& loss, const GatheredRows& rows, const Encoded& leaves) {
  auto features = torch::zeros({rows.total(), leaves.features.size(1)}, leaves.features.options());
  features.requires_grad_();
  const auto everything = make_batch(rows.embeddings, rows.labels, rows.instances, features);
  auto value = propagate(weighted(loss.evaluate(everything), 0));
  if (features.grad().defined()) leaves.features.mutable_grad() = features.grad().narrow(0, 0, 0);
  return value;
}

LossValue own_loss(Loss& loss, const GatheredRows& rows, const Encoded& leaves) {
  if (rows.own == 0) return weightless_loss(loss, rows, leaves);
  const auto weight = static_cast<double>(rows.own) / static_cast<double>(rows.total());
  return propagate(weighted(loss.evaluate(batch_of(rows, leaves.features)), weight));
}

}  // namespace

LossValue backward_global_loss(Ranks& ranks, Loss& loss, const Encoded& leaves,
                               const Batch& batch) {
  if (ranks.size() == 1) {
    // One tensor as anchors and candidates: the kernels then do half of the work.
    return propagate(
        loss.evaluate(make_batch(leaves.embeddings, batch.labels.repeat({batch.views}),
                                 batch.indices.repeat({batch.views}), leaves.features)));
  }
  const auto rows = gather(ranks, leaves, batch);
  const auto value = own_loss(loss, rows, leaves);
  if (rows.embeddings.grad().defined()) {
    leaves.embeddings.mutable_grad() = ranks.scatter_sum(rows.embeddings.grad(), rows.counts);
  }
  return value;
}

}  // namespace projnce
