#include "projnce/projection/median.h"

#include <torch/autograd.h>

#include <algorithm>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/kernel/class_median.h"

namespace projnce::projection {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Indices of the rows that hold the medians, [K, D] each; `upper` is undefined unless requested.
struct SelectedRows {
  torch::Tensor lower;
  torch::Tensor upper;
};

SelectedRows select_rows(const torch::Tensor& rows, const ClassGroups& groups, MedianKind kind) {
  const auto ids = groups.ids.contiguous();
  const kernel::ClassRows classes(ids.data_ptr<int64_t>(), ids.numel(), groups.size());
  const auto values = rows.contiguous();
  const auto lower = torch::empty({groups.size(), rows.size(1)}, torch::kInt64);
  const auto upper = kind == MedianKind::kMean ? torch::empty_like(lower) : torch::Tensor();
  AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "select_class_medians", [&] {
    kernel::select_class_medians(values.data_ptr<scalar_t>(), rows.size(1), classes,
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

  /// Uses tensor operations, so that the gradient is differentiable: the selected rows are
  /// constant.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto selected = ctx->get_saved_variables();
    const auto& grad = grads[0];  // [K, D]
    auto to_rows = torch::zeros({ctx->saved_data["count"].toInt(), grad.size(1)}, grad.options());
    // A row belongs to one class, so no entry receives two lower or two upper medians.
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

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kChunk = 256;      // rows tested at a time: bounds memory
constexpr int kWeiszfeldSteps = 60;  // enough to start Newton's method
constexpr int kNewtonSteps = 40;
constexpr double kSmallest = 1e-12;  // lower bound of distances in Weiszfeld's weights
constexpr double kNear = 1e-4;       // gradient norm per row below which Newton's method starts
constexpr double kConverged = 1e-9;  // gradient norm per row that counts as converged
constexpr double kRounding = 1e-12;  // relative tolerance of the optimality test
constexpr int64_t kNearest = 16;     // rows near Weiszfeld's result that are tested

constexpr int64_t kNoRow = -1;
constexpr int64_t kAverage = -2;  // midpoint of two rows; mean of rows that are not finite

/// Optimality of each row s of `some` [k, D]: |sum_j (x_j - s)/|x_j - s|| <= the number of rows
/// equal to s. [k], bool.
torch::Tensor are_optimal(const torch::Tensor& some, const torch::Tensor& x) {
  const auto r = torch::cdist(some, x, 2.0, /*compute_mode=*/int64_t{2});  // [k, n]
  const auto weight = r.reciprocal().masked_fill(r == 0, 0);
  const auto gradient = weight.mm(x) - some * weight.sum(1, true);
  const auto multiplicity = (r == 0).sum(1).to(torch::kFloat64);
  return gradient.norm(2, 1) <= multiplicity * (1 + kRounding);
}

/// Index of the first optimal row, or kNoRow. O(n^2 D).
int64_t optimal_row(const torch::Tensor& x) {
  for (int64_t start = 0; start < x.size(0); start += kChunk) {
    const auto some = x.narrow(0, start, std::min(kChunk, x.size(0) - start));
    const auto optimal = are_optimal(some, x).nonzero();
    if (optimal.size(0) > 0) return start + optimal[0].item<int64_t>();
  }
  return kNoRow;
}

/// The first optimal row among the kNearest to g, or kNoRow. O(n D).
int64_t optimal_row_near(const torch::Tensor& x, const torch::Tensor& g) {
  const auto near = (x - g).norm(2, 1).argsort().slice(0, 0, kNearest);
  const auto optimal = near.masked_select(are_optimal(x.index_select(0, near), x));
  return optimal.size(0) > 0 ? optimal.min().item<int64_t>() : kNoRow;
}

/// Derivatives of the sum of distances at a point, and the terms they are made of.
struct Derivatives {
  torch::Tensor r;  // [n, 1]: distances
  torch::Tensor u;  // [n, D]: unit vectors to the rows
  torch::Tensor hessian;
};

Derivatives derivatives_at(const torch::Tensor& x, const torch::Tensor& g) {
  const auto difference = x - g;
  const auto r = difference.norm(2, 1, true).clamp_min(kSmallest);
  const auto u = difference / r;
  const auto identity = torch::eye(x.size(1), x.options());
  return {r, u, identity * r.reciprocal().sum() - u.t().mm(u / r)};
}

torch::Tensor solve(const torch::Tensor& hessian, const torch::Tensor& vector) {
  const auto column = vector.unsqueeze(1);
  const auto [factor, info] = torch::linalg_cholesky_ex(hessian);
  if (info.item<int64_t>() == 0) return torch::cholesky_solve(column, factor).squeeze(1);
  return torch::linalg_pinv(hessian, 1e-15, /*hermitian=*/true).mm(column).squeeze(1);
}

torch::Tensor weiszfeld_step(const torch::Tensor& x, const torch::Tensor& g) {
  const auto weight = (x - g).norm(2, 1, true).clamp_min(kSmallest).reciprocal();
  return weight.t().mm(x).squeeze(0) / weight.sum();
}

/// Gradient norm, which distinguishes points whose costs are equal to rounding.
double gradient_norm(const torch::Tensor& x, const torch::Tensor& g) {
  const auto difference = x - g;
  const auto weight = difference.norm(2, 1, true).clamp_min(kSmallest).reciprocal();
  return weight.t().mm(difference).norm().item<double>();
}

/// A point from which Newton's method converges, or next to the row that is the median.
torch::Tensor near_median(const torch::Tensor& x) {
  auto g = x.mean(0);
  for (int i = 0; i < kWeiszfeldSteps; ++i) {
    if (gradient_norm(x, g) < kNear * static_cast<double>(x.size(0))) break;
    g = weiszfeld_step(x, g);
  }
  return g;
}

/// A point, and whether its gradient is zero up to rounding.
struct Descent {
  torch::Tensor point;  // [D]
  bool converged;
};

/// Newton's method from a point near the median. REQUIRES: no row is optimal.
Descent finish_by_newton(const torch::Tensor& x, torch::Tensor g) {
  const auto enough = kConverged * static_cast<double>(x.size(0));
  auto norm = gradient_norm(x, g);
  for (int i = 0; i < kNewtonSteps; ++i) {
    const auto at = derivatives_at(x, g);
    auto next = g + solve(at.hessian, at.u.sum(0));
    auto next_norm = gradient_norm(x, next);
    if (!(next_norm < norm)) {
      if (norm < enough) break;
      next = weiszfeld_step(x, g);
      next_norm = gradient_norm(x, next);
    }
    g = next;
    norm = next_norm;
  }
  return {g, norm < enough};
}

struct Median {
  torch::Tensor point;  // [D]
  int64_t row;          // index of the row at this point, kNoRow or kAverage
};

/// The sum of distances is convex, so a point with zero gradient is its minimum. All rows are
/// tested only if no such point is found.
Median median_of(const torch::Tensor& x) {
  if (x.size(0) == 1) return {x[0], 0};
  if (x.size(0) == 2 || !torch::isfinite(x).all().item<bool>()) return {x.mean(0), kAverage};
  const auto g = near_median(x);
  auto row = optimal_row_near(x, g);
  if (row != kNoRow) return {x[row], row};
  const auto [point, converged] = finish_by_newton(x, g);
  if (!converged) row = optimal_row(x);
  if (row != kNoRow) return {x[row], row};
  return {point, kNoRow};
}

/// dL/dx [n, D] of one class from dL/dg [D].
torch::Tensor median_gradient(const torch::Tensor& x, const torch::Tensor& g, int64_t row,
                              const torch::Tensor& grad) {
  if (row == kAverage) return (grad / x.size(0)).expand_as(x);
  if (row >= 0) {
    const auto selected = torch::arange(x.size(0), torch::TensorOptions(x.device())) == row;
    return torch::where(selected.unsqueeze(1), grad, torch::zeros_like(x));
  }
  const auto at = derivatives_at(x, g);
  const auto v = solve(at.hessian, grad);
  return (v - at.u * at.u.mv(v).unsqueeze(1)) / at.r;
}

class GeometricMedians : public torch::autograd::Function<GeometricMedians> {
 public:
  /// `sorted` [M, D] are the rows sorted by class, `sizes` the number of rows of each class.
  static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& sorted,
                               const std::vector<int64_t>& sizes) {
    std::vector<torch::Tensor> points;
    std::vector<int64_t> rows;
    for (const auto& x : sorted.split_with_sizes(sizes)) {
      const auto [point, row] = median_of(x);
      points.push_back(point);
      rows.push_back(row);
    }
    const auto medians = torch::stack(points);
    ctx->save_for_backward({sorted, medians});
    ctx->saved_data["sizes"] = sizes;
    ctx->saved_data["rows"] = rows;
    return medians;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    if (torch::GradMode::is_enabled()) fail("the geometric median has no second derivative");
    const auto saved = ctx->get_saved_variables();
    const auto rows = ctx->saved_data["rows"].toIntVector();
    const auto classes = saved[0].split_with_sizes(ctx->saved_data["sizes"].toIntVector());
    std::vector<torch::Tensor> parts;
    for (size_t c = 0; c < classes.size(); ++c) {
      const auto i = static_cast<int64_t>(c);
      parts.push_back(median_gradient(classes[c], saved[1][i], rows[c], grads[0][i]));
    }
    return {torch::cat(parts), {}};
  }
};

}  // namespace

torch::Tensor geometric_medians(const torch::Tensor& rows, const ClassGroups& groups) {
  const auto order = torch::argsort(groups.ids, /*stable=*/true, /*dim=*/0);
  const auto counts = groups.counts.cpu().contiguous();
  const std::vector<int64_t> sizes(counts.data_ptr<int64_t>(),
                                   counts.data_ptr<int64_t>() + counts.numel());
  const auto sorted = rows.index_select(0, order).to(torch::kFloat64);
  return GeometricMedians::apply(sorted, sizes).to(rows.scalar_type());
}

namespace {

/// Row indices in ascending order of (class, value, index), separately for each coordinate: [M, D].
torch::Tensor order_within_classes(const torch::Tensor& rows, const torch::Tensor& ids) {
  const auto by_value = torch::argsort(rows, /*stable=*/true, /*dim=*/0);
  const auto classes = ids.unsqueeze(1).expand_as(rows).gather(0, by_value);
  const auto by_class = torch::argsort(classes, /*stable=*/true, /*dim=*/0);
  return by_value.gather(0, by_class);
}

}  // namespace

torch::Tensor sorted_medians(const torch::Tensor& rows, const ClassGroups& groups,
                             MedianKind kind) {
  const auto order = order_within_classes(rows.detach(), groups.ids);  // [M, D]
  const auto first = groups.counts.cumsum(0) - groups.counts;          // [K]
  const auto value_at = [&](const torch::Tensor& rank) {               // [K] -> [K, D]
    return rows.gather(0, order.index_select(0, first + rank));
  };
  const auto lower = value_at((groups.counts - 1).div(2, "floor"));
  if (kind == MedianKind::kLower) return lower;
  return (lower + value_at(groups.counts.div(2, "floor"))) / 2;
}

}  // namespace projnce::projection
