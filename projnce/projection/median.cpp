#include "projnce/projection/median.h"

#include <torch/autograd.h>

#include "projnce/kernel/class_median.h"
#include "projnce/projection/geometric_median.h"
#include "projnce/projection/sorted_median.h"

namespace projnce {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The rows that hold the medians, [K, D] each; `upper` is undefined where it is not asked for.
struct SelectedRows {
  torch::Tensor lower;
  torch::Tensor upper;
};

SelectedRows select_rows(const torch::Tensor& rows, const ClassGroups& groups, MedianKind kind) {
  const auto ids = groups.ids.contiguous();
  const ClassRows classes(ids.data_ptr<int64_t>(), ids.numel(), groups.size());
  const auto values = rows.contiguous();
  const auto lower = torch::empty({groups.size(), rows.size(1)}, torch::kInt64);
  const auto upper = kind == MedianKind::kMean ? torch::empty_like(lower) : torch::Tensor();
  AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "select_class_medians", [&] {
    select_class_medians(values.data_ptr<scalar_t>(), rows.size(1), classes,
                         lower.data_ptr<int64_t>(),
                         upper.defined() ? upper.data_ptr<int64_t>() : nullptr);
  });
  return {lower, upper};
}

class SelectedMedians : public torch::autograd::Function<SelectedMedians> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& rows,
                               const ClassGroups& groups, MedianKind kind) {
    const auto selected = select_rows(rows, groups, kind);
    ctx->saved_data["count"] = rows.size(0);
    ctx->save_for_backward({selected.lower, selected.upper});
    const auto lower = rows.gather(0, selected.lower);
    return selected.upper.defined() ? (lower + rows.gather(0, selected.upper)) / 2 : lower;
  }

  /// In tensor operations: which rows were selected does not change with them, so that the gradient
  /// can be differentiated again.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto selected = ctx->get_saved_variables();
    const auto& grad = grads[0];  // [K, D]
    auto to_rows = torch::zeros({ctx->saved_data["count"].toInt(), grad.size(1)}, grad.options());
    // A row belongs to one class, so that no entry receives two lower medians, or two upper ones.
    if (!selected[1].defined()) return {to_rows.scatter_(0, selected[0], grad), {}, {}};
    const auto half = grad / 2;
    return {to_rows.scatter_(0, selected[0], half).scatter_add_(0, selected[1], half), {}, {}};
  }
};

bool has_kernel(const torch::Tensor& rows) {
  const auto type = rows.scalar_type();
  return rows.is_cpu() && (type == torch::kFloat32 || type == torch::kFloat64);
}

}  // namespace

Projected project_medians(const CandidateRows& candidates, const MedianOptions& options) {
  const auto& groups = candidates.groups;
  const auto& rows = candidates.rows;
  if (options.median == MedianKind::kGeometric) return {.vectors = geometric_medians(rows, groups)};
  if (!has_kernel(rows)) return {.vectors = sorted_medians(rows, groups, options.median)};
  return {.vectors = SelectedMedians::apply(rows, groups, options.median)};
}

Projected MedianProjection::project(const CandidateRows& candidates) {
  return project_medians(candidates, options_);
}

}  // namespace projnce
