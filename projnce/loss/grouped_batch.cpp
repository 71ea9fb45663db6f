#include "projnce/loss/grouped_batch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"

namespace projnce::loss {

namespace {

torch::Tensor checked_rows(const torch::Tensor& rows, const char* what, const std::string& loss) {
  if (!rows.defined() || rows.dim() != 2) {
    fail(loss, ": ", what, " must be a matrix with a row for each embedding, got ",
         rows.defined() ? concat("shape ", rows.sizes()) : "nothing");
  }
  if (rows.size(0) == 0 || rows.size(1) == 0) {
    fail(loss, ": ", what, " are empty: shape ", rows.sizes(), ", expected at least one row");
  }
  if (!rows.is_floating_point()) {
    fail(loss, ": ", what, " have type ", rows.scalar_type(), ", expected float32 or float64");
  }
  return at_least_float32(rows);
}

torch::Tensor checked_labels(const torch::Tensor& labels, const torch::Tensor& rows,
                             const char* what, const std::string& loss) {
  const auto count = rows.size(0);
  if (!labels.defined()) {
    fail(Hint{"fill it in the batch"}, loss, ": the batch has no ", what,
         ", which this loss needs");
  }
  if (labels.dim() != 1 || labels.size(0) != count) {
    fail(loss, ": ", what, " have shape ", labels.sizes(), ", expected [", count, "]");
  }
  if (!at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    fail(loss, ": ", what, " have type ", labels.scalar_type(), ", expected integers");
  }
  if (!labels.is_cpu() && labels.device() != rows.device()) {
    fail(loss, ": ", what, " are on ", labels.device(), ", expected ", rows.device(),
         ", where the embeddings are, or the CPU");
  }
  return labels.to(torch::kInt64);
}

/// Whether all exponents are below the one that stands for infinity and NaN.
template <class Bits>
bool all_finite(const void* numbers, int64_t count, Bits infinity) {
  const auto* bits = static_cast<const Bits*>(numbers);
  Bits found = 0;
  for (int64_t i = 0; i < count; ++i) found |= (bits[i] & infinity) == infinity;
  return found == 0;
}

/// False on other devices, where reading the flags would wait for the device.
bool all_true(const torch::Tensor& flags) {
  if (!flags.device().is_cpu()) return false;
  const auto dense = flags.contiguous();
  const bool* flag = dense.data_ptr<bool>();
  return std::all_of(flag, flag + dense.numel(), [](bool valid) { return valid; });
}

}  // namespace

torch::Tensor at_least_float32(const torch::Tensor& rows) {
  const bool half = rows.scalar_type() == torch::kHalf || rows.scalar_type() == torch::kBFloat16;
  return half ? rows.to(torch::kFloat32) : rows;
}

torch::Tensor nan_guard(const torch::Tensor& rows) {
  if (!rows.device().is_cpu()) return (rows * 0).sum();
  const auto dense = rows.contiguous();
  const bool finite =
      rows.scalar_type() == torch::kFloat32
          ? all_finite<uint32_t>(dense.data_ptr(), dense.numel(), 0x7F800000U)
          : all_finite<uint64_t>(dense.data_ptr(), dense.numel(), 0x7FF0000000000000U);
  return torch::full({}, finite ? 0 : std::numeric_limits<double>::quiet_NaN(), rows.options());
}

GroupedBatch validate_batch(const ContrastiveBatch& batch, GroupBy group_by,
                            const std::string& loss) {
  const bool by_class = group_by == GroupBy::kClass;
  const auto anchors = checked_rows(batch.anchors, "anchors", loss);
  // If both are one tensor, they stay one: the kernels then do half of the work.
  const auto candidates = batch.candidates.is_same(batch.anchors)
                              ? anchors
                              : checked_rows(batch.candidates, "candidates", loss);
  const int64_t count = anchors.size(0);
  if (anchors.device() != candidates.device()) {
    fail(loss, ": anchors are on ", anchors.device(), ", candidates on ", candidates.device(),
         "; both must be on one device");
  }
  if (anchors.size(1) != candidates.size(1) || anchors.scalar_type() != candidates.scalar_type()) {
    fail(loss, ": anchors are ", anchors.sizes(), " ", anchors.scalar_type(), ", candidates ",
         candidates.sizes(), " ", candidates.scalar_type(), "; width and type must be equal");
  }
  const auto offset = batch.anchor_offset;
  if (offset < 0 || offset > candidates.size(0) - count) {
    fail(loss, ": ", counted(count, "anchor"), " at anchor_offset ", offset, " do not lie within ",
         counted(candidates.size(0), "candidate"));
  }
  const auto anchor_labels =
      checked_labels(by_class ? batch.anchor_labels : batch.anchor_instances, anchors,
                     by_class ? "anchor_labels" : "anchor_instances", loss);
  const auto labels =
      checked_labels(by_class ? batch.candidate_labels : batch.candidate_instances, candidates,
                     by_class ? "candidate_labels" : "candidate_instances", loss);
  const bool same_rows = labels.is_same(anchor_labels);
  if (!same_rows && !torch::equal(labels.narrow(0, offset, count).cpu(), anchor_labels.cpu())) {
    fail(loss, ": the anchors' labels differ from those of the candidates at anchor_offset ",
         offset, ", which must be the same rows");
  }
  GroupedBatch rows{
      .anchors = anchors,
      .candidates = {.rows = candidates,
                     .groups = projection::group_by_class(labels, candidates.device()),
                     .anchor_offset = offset,
                     .num_anchors = count,
                     .soft_labels = batch.candidate_soft_labels}};
  rows.anchor_class = rows.candidates.anchor_ids();
  rows.class_size = rows.candidates.groups.counts.index_select(0, rows.anchor_class);
  rows.reduction = batch.reduction;
  rows.with_parts = batch.with_parts && batch.reduction == Reduction::kMean;
  rows.nan_guard = nan_guard(anchors.detach());
  return rows;
}

torch::Tensor GroupedBatch::self_index() const {
  const auto first = candidates.anchor_offset;
  return torch::arange(first, first + num_anchors(), anchor_class.options());
}

torch::Tensor GroupedBatch::remaining(Exclude exclude) const {
  if (exclude == Exclude::kSameClass) return num_candidates() - class_size;
  return torch::full_like(class_size, num_candidates() - (exclude == Exclude::kSelf ? 1 : 0));
}

torch::Tensor weighted_sum(const GroupedBatch& batch, const torch::Tensor& per_anchor,
                           const torch::Tensor& valid_class, EmptyPositives empty) {
  const auto count = static_cast<double>(batch.num_anchors());
  if (all_true(valid_class)) return per_anchor.mean() + batch.nan_guard;
  const auto valid = valid_class.index_select(0, batch.anchor_class);  // [N]
  const auto sum = torch::where(valid, per_anchor, torch::zeros_like(per_anchor)).sum();
  if (empty == EmptyPositives::kZero) return sum / count + batch.nan_guard;
  const auto valid_rows = (batch.candidates.groups.counts * valid_class).sum().clamp_min(1);  // V
  const auto scale = static_cast<double>(batch.num_candidates()) / count;
  return sum * (scale / valid_rows.to(sum.scalar_type())) + batch.nan_guard;
}

torch::Tensor reduce_anchors(const GroupedBatch& batch, const torch::Tensor& per_anchor,
                             const torch::Tensor& valid_class, EmptyPositives empty) {
  if (batch.reduction == Reduction::kMean) {
    return weighted_sum(batch, per_anchor, valid_class, empty);
  }
  const auto valid = valid_class.index_select(0, batch.anchor_class);  // [N]
  const auto counted = torch::where(valid, per_anchor, torch::zeros_like(per_anchor));
  return reduce(counted, batch.reduction) + batch.nan_guard;
}

LossValue alignment_uniformity(const GroupedBatch& batch, const torch::Tensor& positive,
                               const torch::Tensor& logsumexp, const torch::Tensor& valid_class,
                               EmptyPositives empty) {
  const auto loss = reduce_anchors(batch, logsumexp - positive, valid_class, empty);
  if (!batch.with_parts) return {loss, {}};
  const auto alignment = weighted_sum(batch, -positive.detach(), valid_class, empty);
  const auto valid = valid_class.index_select(0, batch.anchor_class);  // [N]
  return {loss,
          {{"alignment", alignment},
           {"uniformity", loss.detach() - alignment},
           {"valid_anchors", valid.to(batch.anchors.scalar_type()).mean()}}};
}

void check_positive(double value, const std::string& loss, const std::string& option) {
  if (std::isfinite(value) && value > 0) return;
  fail(loss, ": ", option, " = ", value, " must be a number above 0");
}

}  // namespace projnce::loss
