#include "projnce/projection/perp.h"

#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/kernel/nadaraya_watson.h"
#include "projnce/projection/class_groups.h"

namespace projnce::projection {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kRowsAtATime = 256;
/// Mode of torch::cdist without matrix product, which is inaccurate for small distances.
constexpr int64_t kExactDistances = 2;

torch::Tensor profile(const torch::Tensor& t, kernel::SmoothingKernel kernel) {
  switch (kernel) {
    case kernel::SmoothingKernel::kEpanechnikov:
      return 1 - t * t;
    case kernel::SmoothingKernel::kTriangular:
      return 1 - t;
    case kernel::SmoothingKernel::kMixed:
      return 1 - 0.5 * t - 0.5 * t * t;
    case kernel::SmoothingKernel::kExponential:
      return (1 - t).expm1() / (std::numbers::e - 1);
  }
  TORCH_CHECK(false, "unknown kernel");
}

torch::Tensor distances(const torch::Tensor& some, const torch::Tensor& all,
                        kernel::Metric metric) {
  if (metric == kernel::Metric::kCosine) return 0.5 - 0.5 * some.mm(all.t());
  return torch::cdist(some, all, metric == kernel::Metric::kL1 ? 1.0 : 2.0, kExactDistances);
}

/// Sums of rows start .. start + count - 1, [count, K].
torch::Tensor sums_of_some(const torch::Tensor& rows, int64_t start, int64_t count,
                           const torch::Tensor& one_hot, const Neighborhood& near) {
  const auto place = torch::arange(rows.size(0), torch::TensorOptions(rows.device()));
  const auto is_self = place.narrow(0, start, count).unsqueeze(1) == place;
  const auto t = distances(rows.narrow(0, start, count), rows, near.metric) / near.bandwidth;
  const auto outside = (t >= 1) | is_self;
  // Masked before the profile as well: outside, its slope may be infinite, and 0 times that is NaN.
  const auto kappa = profile(t.masked_fill(outside, 0), near.kernel).masked_fill(outside, 0);
  return kappa.mm(one_hot);
}

torch::Tensor one_hot_classes(const torch::Tensor& rows, const torch::Tensor& ids,
                              int64_t num_classes) {
  return torch::one_hot(ids, num_classes).to(rows.scalar_type());  // [M, K]
}

template <class T>
kernel::SmoothingProblem<T> problem_of(const torch::Tensor& rows, const torch::Tensor& ids,
                                       int64_t num_classes, const Neighborhood& near) {
  return {.rows = rows.data_ptr<T>(),
          .classes = ids.data_ptr<int64_t>(),
          .count = rows.size(0),
          .dim = rows.size(1),
          .num_classes = num_classes,
          .kernel = near.kernel,
          .metric = near.metric,
          .bandwidth = near.bandwidth};
}

/// Two implementations; both return sums [M, K] and gradients [M, D].
struct ByKernels {
  static torch::Tensor sums(const torch::Tensor& rows, const torch::Tensor& ids,
                            int64_t num_classes, const Neighborhood& near) {
    const auto out = torch::empty({rows.size(0), num_classes}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "neighbor_sums", [&] {
      kernel::kernel_sums(problem_of<scalar_t>(rows, ids, num_classes, near),
                          out.data_ptr<double>());
    });
    return out;
  }

  static torch::Tensor gradient(const torch::Tensor& rows, const torch::Tensor& ids,
                                const torch::Tensor& grad, const Neighborhood& near) {
    const auto out = torch::empty_like(rows);
    AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "neighbor_sums", [&] {
      kernel::kernel_sums_gradient(problem_of<scalar_t>(rows, ids, grad.size(1), near),
                                   grad.contiguous().data_ptr<double>(), out.data_ptr<scalar_t>());
    });
    return out;
  }
};

struct ByOperators {
  static torch::Tensor sums(const torch::Tensor& rows, const torch::Tensor& ids,
                            int64_t num_classes, const Neighborhood& near) {
    const auto one_hot = one_hot_classes(rows, ids, num_classes);
    auto out = torch::empty_like(one_hot);
    for_each_chunk(rows, [&](int64_t start, int64_t count) {
      out.narrow(0, start, count).copy_(sums_of_some(rows, start, count, one_hot, near));
    });
    return out;
  }

  /// Recomputes the sums for a few rows at a time, with autograd.
  static torch::Tensor gradient(const torch::Tensor& rows, const torch::Tensor& ids,
                                const torch::Tensor& grad, const Neighborhood& near) {
    const auto one_hot = one_hot_classes(rows, ids, grad.size(1));
    const torch::AutoGradMode with_gradient(true);
    const auto leaf = rows.detach().requires_grad_();
    auto out = torch::zeros_like(rows);
    for_each_chunk(rows, [&](int64_t start, int64_t count) {
      const auto sums = sums_of_some(leaf, start, count, one_hot, near);
      out += torch::autograd::grad({sums}, {leaf}, {grad.narrow(0, start, count)})[0];
    });
    return out;
  }

 private:
  template <class Work>
  static void for_each_chunk(const torch::Tensor& rows, const Work& work) {
    for (int64_t start = 0; start < rows.size(0); start += kRowsAtATime) {
      work(start, std::min(kRowsAtATime, rows.size(0) - start));
    }
  }
};

template <class How>
class NeighborSums : public torch::autograd::Function<NeighborSums<How>> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& rows,
                               const torch::Tensor& ids, int64_t num_classes, int64_t kernel,
                               int64_t metric, double bandwidth) {
    ctx->save_for_backward({rows, ids});
    ctx->saved_data["kernel"] = kernel;
    ctx->saved_data["metric"] = metric;
    ctx->saved_data["bandwidth"] = bandwidth;
    return How::sums(rows, ids, num_classes, neighborhood(ctx));
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    if (torch::GradMode::is_enabled()) fail("Nadaraya-Watson has no second derivative");
    const auto saved = ctx->get_saved_variables();
    return {How::gradient(saved[0], saved[1], grads[0], neighborhood(ctx)), {}, {}, {}, {}, {}};
  }

 private:
  static Neighborhood neighborhood(AutogradContext* ctx) {
    return {.kernel = static_cast<kernel::SmoothingKernel>(ctx->saved_data["kernel"].toInt()),
            .metric = static_cast<kernel::Metric>(ctx->saved_data["metric"].toInt()),
            .bandwidth = ctx->saved_data["bandwidth"].toDouble()};
  }
};

template <class How>
torch::Tensor neighbor_sums_by(const torch::Tensor& rows, const ClassGroups& groups,
                               const Neighborhood& near) {
  // The loops compare rows by their dot products: the cosine of other rows is that of unit ones.
  const auto compared = near.metric == kernel::Metric::kCosine ? unit_rows(rows) : rows;
  return NeighborSums<How>::apply(compared.contiguous(), groups.ids.contiguous(), groups.size(),
                                  static_cast<int64_t>(near.kernel),
                                  static_cast<int64_t>(near.metric), near.bandwidth);
}

}  // namespace

torch::Tensor neighbor_sums(const torch::Tensor& rows, const ClassGroups& groups,
                            const Neighborhood& neighborhood) {
  const auto type = rows.scalar_type();
  const bool has_kernels =
      rows.device().is_cpu() && (type == torch::kFloat32 || type == torch::kFloat64);
  if (has_kernels) return neighbor_sums_by<ByKernels>(rows, groups, neighborhood);
  return neighbor_sums_by<ByOperators>(rows, groups, neighborhood);
}

torch::Tensor neighbor_sums_by_operators(const torch::Tensor& rows, const ClassGroups& groups,
                                         const Neighborhood& neighborhood) {
  return neighbor_sums_by<ByOperators>(rows, groups, neighborhood);
}

namespace {

double diameter(kernel::Metric metric, int64_t dim) {
  switch (metric) {
    case kernel::Metric::kL1:
      return 2 * std::sqrt(static_cast<double>(dim));
    case kernel::Metric::kL2:
      return 2;
    case kernel::Metric::kCosine:
      return 1;
  }
  TORCH_CHECK(false, "unknown metric");
}

}  // namespace

void check_options(const NadarayaWatsonOptions& options) {
  if (std::isfinite(options.bandwidth) && options.bandwidth > 0) return;
  fail("projection perp: bandwidth = ", options.bandwidth, " must be a number above 0");
}

torch::Tensor nadaraya_watson(const torch::Tensor& rows, const ClassGroups& groups,
                              const NadarayaWatsonOptions& options) {
  check_options(options);
  const bool unit = options.distance_scale == DistanceScale::kUnit;
  const auto scale = unit ? diameter(options.metric, rows.size(1)) : 1.0;
  const auto neighbors = neighbor_sums(rows, groups,
                                       {.kernel = options.kernel,
                                        .metric = options.metric,
                                        .bandwidth = scale * options.bandwidth});  // [M, K]

  const auto hard = torch::one_hot(groups.ids, groups.size()).to(neighbors.scalar_type());
  const auto mass = options.exclude_self ? neighbors : neighbors + hard;  // K(0) = 1
  const auto total = mass.sum(/*dim=*/1, /*keepdim=*/true);
  const auto alone = total == 0;
  return torch::where(alone, hard, mass / total.masked_fill(alone, 1)).to(rows.scalar_type());
}

torch::Tensor given_soft_labels(const CandidateRows& candidates) {
  const auto& q = candidates.soft_labels;
  if (!q.defined()) {
    fail(Hint{"fill candidate_soft_labels, or choose soft_source 'nw'"},
         "projection perp: soft_source is 'given', but the batch has no soft labels");
  }
  if (q.dim() != 2 || q.size(0) != candidates.size() || !q.is_floating_point()) {
    fail("projection perp: the soft labels are ", q.scalar_type(), " ", q.sizes(),
         ", expected numbers with ", counted(candidates.size(), "row"),
         " and a column for each class");
  }
  check_labels(on_host(candidates.groups).labels, q.size(1), "projection perp");
  const auto rows_type = candidates.rows.scalar_type();
  if (q.is_cpu()) {
    if ((q < 0).any().item<bool>()) fail("projection perp: a soft label is negative");
    return q.to(rows_type);
  }
  // Reading the flag would wait for the device: the loss becomes NaN instead.
  return q.masked_fill(q < 0, std::numeric_limits<double>::quiet_NaN()).to(rows_type);
}

torch::Tensor soft_labels(const CandidateRows& candidates, const PerpOptions& options) {
  const auto& groups = candidates.groups;
  if (options.soft_source == SoftSource::kGiven) {
    return given_soft_labels(candidates).index_select(1, groups.labels);
  }
  if (options.soft_source == SoftSource::kHard) {
    return torch::one_hot(groups.ids, groups.size()).to(candidates.rows.scalar_type());
  }
  const auto rows = options.detach_q ? candidates.rows.detach() : candidates.rows;
  return nadaraya_watson(rows, groups, options.nw);
}

torch::Tensor soft_means(const torch::Tensor& q, const torch::Tensor& rows) {
  const auto mass = q.sum(/*dim=*/0).unsqueeze(1);  // [C, 1]
  return q.t().mm(rows) / mass.masked_fill(mass == 0, 1);
}

Projected project_perp(const CandidateRows& candidates, const PerpOptions& options) {
  if (options.soft_source == SoftSource::kHard) {
    return {.vectors = class_means(candidates.groups, candidates.rows)};
  }
  const auto q = soft_labels(candidates, options);  // [M, K]
  const auto massless = (q.sum(/*dim=*/0) == 0).unsqueeze(1);
  return {.vectors = torch::where(massless, class_means(candidates.groups, candidates.rows),
                                  soft_means(q, candidates.rows))};
}

PerpProjection::PerpProjection(const PerpOptions& options) : options_(options) {
  check_options(options.nw);
}

Projected PerpProjection::project(const CandidateRows& candidates) {
  return project_perp(candidates, options_);
}

}  // namespace projnce::projection
