#include "python/ops/loss_call.h"

#include <torch/torch.h>

#include <utility>

#include "projnce/core/error.h"
#include "projnce/loss/contrast_rows.h"
#include "projnce/projection/class_groups.h"

namespace projnce::ops {

namespace {

Value option_value(const c10::IValue& value) {
  if (value.isBool()) return {value.toBool(), {}};
  if (value.isInt()) return {value.toInt(), {}};
  if (value.isDouble()) return {value.toDouble(), {}};
  return {value.toStringRef(), {}};
}

/// Rows of one side, the anchors or the candidates, with what is known about each of them.
struct Side {
  torch::Tensor rows;       // [N, D]
  torch::Tensor labels;     // [N] or undefined
  torch::Tensor instances;  // [N] or undefined
  int64_t samples = 0;
  int64_t views = 1;

  /// [B, ...] with an entry for each sample as [B * V, ...] with one for each view; entries for
  /// each view stay as they are.
  torch::Tensor for_each_view(const torch::Tensor& entries, const char* what) const {
    if (!entries.defined()) return {};
    if (entries.dim() == 0 || (entries.size(0) != samples && entries.size(0) != samples * views)) {
      fail(what, " have shape ", entries.sizes(), ", expected ", samples, ", one for each ",
           views == 1 ? "row" : "sample", " of features");
    }
    if (entries.size(0) != samples || views == 1) return entries;
    auto shape = entries.unsqueeze(1).sizes().vec();
    shape[1] = views;
    return entries.unsqueeze(1).expand(shape).flatten(0, 1);
  }
};

/// Labels as [B, 1], which some programs keep, as [B].
torch::Tensor as_list(const torch::Tensor& labels) {
  return labels.defined() && labels.dim() == 2 && labels.size(1) == 1 ? labels.squeeze(1) : labels;
}

Side make_side(const torch::Tensor& features, const torch::Tensor& labels,
               const torch::Tensor& instances, bool normalize) {
  if (features.dim() < 2 || features.numel() == 0 || !features.is_floating_point()) {
    fail("features are ", features.sizes(), " of type ", features.scalar_type(),
         ", expected numbers with a fraction as [rows, dim] or [samples, views, dim]");
  }
  Side side{.rows = features, .samples = features.size(0)};
  if (features.dim() > 2) {
    side.views = features.size(1);
    side.rows = features.reshape({side.samples * side.views, -1});
  }
  if (normalize) side.rows = unit_rows(at_least_float32(side.rows));
  side.labels = side.for_each_view(as_list(labels), "labels");
  side.instances = side.for_each_view(instances, "instances");
  if (features.dim() > 2 && !instances.defined()) {
    const auto numbers = torch::TensorOptions(features.device()).dtype(torch::kInt64);
    side.instances = side.for_each_view(torch::arange(side.samples, numbers), "instances");
  }
  return side;
}

}  // namespace

LossCall::LossCall(const c10::FunctionSchema& schema, torch::jit::Stack& stack) {
  const auto& arguments = schema.arguments();
  const auto values = torch::jit::last(stack, arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& name = arguments[i].name();
    const auto& value = values[i];
    if (value.isNone()) continue;
    if (value.isTensor()) {
      tensors.emplace(name, value.toTensor());
    } else if (name == "anchor_offset") {
      anchor_offset = value.toInt();
    } else if (name == "normalize") {
      normalize = value.toBool();
    } else {
      options.values.emplace(name, option_value(value));
    }
  }
  torch::jit::drop(stack, arguments.size());
}

void LossCall::check_tensors() const {
  const auto& [first_name, first] = *tensors.begin();
  for (const auto& [name, tensor] : tensors) {
    if (tensor.layout() != torch::kStrided) {
      fail(name, " are ", tensor.layout(), ", expected a dense tensor; to_dense() makes one");
    }
    if (tensor.device() == first.device()) continue;
    fail(first_name, " are on ", first.device(), ", ", name, " on ", tensor.device(),
         "; move them to one device");
  }
}

torch::Tensor LossCall::tensor(const std::string& name) const {
  const auto found = tensors.find(name);
  return found == tensors.end() ? torch::Tensor() : found->second;
}

ContrastiveBatch LossCall::batch() const {
  const auto anchors =
      make_side(tensor("features"), tensor("labels"), tensor("instances"), normalize);
  const auto candidates = tensor("candidates").defined()
                              ? make_side(tensor("candidates"), tensor("candidate_labels"),
                                          tensor("candidate_instances"), normalize)
                              : anchors;
  return {.anchors = anchors.rows,
          .anchor_labels = anchors.labels,
          .candidates = candidates.rows,
          .candidate_labels = candidates.labels,
          .anchor_offset = anchor_offset,
          .anchor_instances = anchors.instances,
          .candidate_instances = candidates.instances,
          .candidate_soft_labels = candidates.for_each_view(tensor("soft_labels"), "soft_labels"),
          .with_parts = with_parts};
}

}  // namespace projnce::ops
