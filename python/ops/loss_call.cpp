#include "python/ops/loss_call.h"

#include <torch/torch.h>

#include "projnce/core/error.h"
#include "projnce/projection/class_groups.h"

namespace projnce::ops {

namespace {

/// The tensors of one side, the anchors or the candidates.
struct Side {
  torch::Tensor rows;       // [B, V, ...] or [N, D] as given; [N, D] once flattened
  torch::Tensor labels;     // [N] or undefined
  torch::Tensor instances;  // [N] or undefined
};

int64_t views_of(const torch::Tensor& features) {
  return features.dim() > 2 ? features.size(1) : 1;
}

/// [B, ...] with an entry for each sample as [B * V, ...] with one for each view; entries for each
/// view stay as they are.
torch::Tensor for_each_view(const torch::Tensor& features, const torch::Tensor& entries,
                            const char* what) {
  if (!entries.defined()) return {};
  const auto samples = features.size(0);
  const auto views = views_of(features);
  if (entries.dim() == 0 || (entries.size(0) != samples && entries.size(0) != samples * views)) {
    fail(what, " have shape ", entries.sizes(), ", expected ", samples, ", one for each ",
         views == 1 ? "row" : "sample", " of features");
  }
  if (entries.size(0) != samples || views == 1) return entries;
  auto shape = entries.unsqueeze(1).sizes().vec();
  shape[1] = views;
  return entries.unsqueeze(1).expand(shape).flatten(0, 1);
}

/// Labels as [B, 1], which some programs keep, as [B].
torch::Tensor as_list(const torch::Tensor& labels) {
  return labels.defined() && labels.dim() == 2 && labels.size(1) == 1 ? labels.squeeze(1) : labels;
}

/// One row for each view, with the label and the instance of its sample.
Side flatten_views(const Side& given, bool normalize, bool number_instances) {
  const auto& features = given.rows;
  if (features.dim() < 2 || features.numel() == 0 || !features.is_floating_point()) {
    fail("features are ", features.sizes(), " of type ", features.scalar_type(),
         ", expected a floating-point tensor [rows, dim] or [samples, views, dim]");
  }
  Side side{.rows = features,
            .labels = for_each_view(features, as_list(given.labels), "labels"),
            .instances = for_each_view(features, given.instances, "instances")};
  if (features.dim() > 2) {
    side.rows = features.reshape({features.size(0) * features.size(1), -1});
    if (number_instances && !given.instances.defined()) {
      const auto numbers = torch::TensorOptions(features.device()).dtype(torch::kInt64);
      side.instances =
          for_each_view(features, torch::arange(features.size(0), numbers), "instances");
    }
  }
  if (normalize) side.rows = projection::unit_rows(side.rows);
  return side;
}

loss::ContrastiveBatch batch_of(const LossCall& call, bool number_instances) {
  const auto& tensors = call.tensors;
  const auto anchors = flatten_views({tensors[kFeatures], tensors[kLabels], tensors[kInstances]},
                                     call.normalize, number_instances);
  const auto candidates = tensors[kCandidates].defined()
                              ? flatten_views({tensors[kCandidates], tensors[kCandidateLabels],
                                               tensors[kCandidateInstances]},
                                              call.normalize, number_instances)
                              : anchors;
  return {.anchors = anchors.rows,
          .anchor_labels = anchors.labels,
          .candidates = candidates.rows,
          .candidate_labels = candidates.labels,
          .anchor_offset = call.anchor_offset,
          .anchor_instances = anchors.instances,
          .candidate_instances = candidates.instances,
          .with_parts = call.with_parts,
          .reduction = call.reduction};
}

}  // namespace

loss::ContrastiveBatch LossCall::batch() const {
  return batch_of(*this, /*number_instances=*/false);
}

loss::ContrastiveBatch LossCall::batch_of_views() const {
  return batch_of(*this, /*number_instances=*/true);
}

loss::ContrastiveBatch LossCall::batch_with_instances(const char* loss) const {
  auto batch = batch_of_views();
  if (!batch.anchor_instances.defined()) {
    fail(loss,
         " compares views: expected features as [samples, views, dim], or instances in addition to "
         "them that are equal for views of one sample");
  }
  return batch;
}

torch::Tensor LossCall::for_each_candidate(const torch::Tensor& entries, const char* what) const {
  const auto& features = tensors[tensors[kCandidates].defined() ? kCandidates : kFeatures];
  return for_each_view(features, entries, what);
}

}  // namespace projnce::ops
