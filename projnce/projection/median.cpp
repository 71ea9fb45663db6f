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

/// The rows that hold the medians, [K, D] each; `upper` is undefined where it is not asked for.
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

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kChunk = 256;      // rows tested at a time: bounds memory
constexpr int kWeiszfeldSteps = 60;  // enough to come near; Newton does the digits
constexpr int kNewtonSteps = 40;
constexpr double kSmallest = 1e-12;  // distance that stands for zero in Weiszfeld's weights
constexpr double kNear = 1e-4;       // pull of each row below which Newton takes over
constexpr double kConverged = 1e-9;  // pull of each row below which Newton has only digits to add
constexpr double kRounding = 1e-12;  // slack of the test whether a row is optimal
constexpr int64_t kNearest = 16;     // rows around Weiszfeld's point that are tested

constexpr int64_t kNoRow = -1;
constexpr int64_t kAverage = -2;  // midpoint of two rows; mean of rows that are not finite

/// Those of `some` [k, D] with |sum_j (x_j - s)/|x_j - s|| <= the number of rows equal to s: [k],
/// bool.
torch::Tensor are_optimal(const torch::Tensor& some, const torch::Tensor& x) {
  const auto r = torch::cdist(some, x, 2.0, /*compute_mode=*/int64_t{2});  // [k, n]
  const auto weight = r.reciprocal().masked_fill(r == 0, 0);
  const auto pull = weight.mm(x) - some * weight.sum(1, true);
  const auto multiplicity = (r == 0).sum(1).to(torch::kFloat64);
  return pull.norm(2, 1) <= multiplicity * (1 + kRounding);
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

struct Surroundings {
  torch::Tensor r;  // [n, 1]: distances
  torch::Tensor u;  // [n, D]: directions
  torch::Tensor hessian;
};

Surroundings look_around(const torch::Tensor& x, const torch::Tensor& g) {
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
double pull_at(const torch::Tensor& x, const torch::Tensor& g) {
  const auto difference = x - g;
  const auto weight = difference.norm(2, 1, true).clamp_min(kSmallest).reciprocal();
  return weight.t().mm(difference).norm().item<double>();
}

/// A point from which Newton's method converges, or next to the row that is the median.
torch::Tensor near_median(const torch::Tensor& x) {
  auto g = x.mean(0);
  for (int i = 0; i < kWeiszfeldSteps; ++i) {
    if (pull_at(x, g) < kNear * static_cast<double>(x.size(0))) break;
    g = weiszfeld_step(x, g);
  }
  return g;
}

/// A point, and whether nothing pulls at it.
struct Descent {
  torch::Tensor point;  // [D]
  bool converged;
};

/// Newton's method from near the median, where no row is in the way.
Descent finish_by_newton(const torch::Tensor& x, torch::Tensor g) {
  const auto enough = kConverged * static_cast<double>(x.size(0));
  auto pull = pull_at(x, g);
  for (int i = 0; i < kNewtonSteps; ++i) {
    const auto around = look_around(x, g);
    auto next = g + solve(around.hessian, around.u.sum(0));
    auto next_pull = pull_at(x, next);
    if (!(next_pull < pull)) {
      if (pull < enough) break;
      next = weiszfeld_step(x, g);
      next_pull = pull_at(x, next);
    }
    g = next;
    pull = next_pull;
  }
  return {g, pull < enough};
}

struct Median {
  torch::Tensor point;  // [D]
  int64_t row;          // which row it is, or kNoRow, or kAverage
};

/// The sum of distances is convex: a point that nothing pulls at is its minimum, and no row needs
/// to be looked at. Only where that cannot be had, all rows are tested.
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

/// dL/dx [n, D] of one class out of dL/dg [D].
torch::Tensor pull_back(const torch::Tensor& x, const torch::Tensor& g, int64_t row,
                        const torch::Tensor& grad) {
  if (row == kAverage) return (grad / x.size(0)).expand_as(x);
  if (row >= 0) {
    const auto selected = torch::arange(x.size(0), torch::TensorOptions(x.device())) == row;
    return torch::where(selected.unsqueeze(1), grad, torch::zeros_like(x));
  }
  const auto around = look_around(x, g);
  const auto v = solve(around.hessian, grad);
  return (v - around.u * around.u.mv(v).unsqueeze(1)) / around.r;
}

class GeometricMedians : public torch::autograd::Function<GeometricMedians> {
 public:
  /// `sorted` [M, D] holds the rows class by class, `sizes` how many each class has.
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
      parts.push_back(pull_back(classes[c], saved[1][i], rows[c], grads[0][i]));
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

/// Rows in ascending order of (class, value, index), for every coordinate on its own: [M, D].
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
