#include "projnce/projection/neighbor_sums.h"

#include <torch/autograd.h>

#include <algorithm>
#include <numbers>

#include "projnce/core/error.h"
#include "projnce/kernel/nadaraya_watson.h"

namespace projnce {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kRowsAtATime = 256;
/// Without the matrix product that loses the digits of small distances.
constexpr int64_t kExactDistances = 2;

torch::Tensor profile(const torch::Tensor& t, SmoothingKernel kernel) {
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return 1 - t * t;
    case SmoothingKernel::kTriangular:
      return 1 - t;
    case SmoothingKernel::kMixed:
      return 1 - 0.5 * t - 0.5 * t * t;
    case SmoothingKernel::kExponential:
      return (1 - t).expm1() / (std::numbers::e - 1);
  }
  TORCH_CHECK(false, "no such kernel");
}

torch::Tensor distances(const torch::Tensor& some, const torch::Tensor& all, Metric metric) {
  if (metric == Metric::kCosine) return 0.5 - 0.5 * some.mm(all.t());
  return torch::cdist(some, all, metric == Metric::kL1 ? 1.0 : 2.0, kExactDistances);
}

/// Sums of rows start .. start + count - 1, [count, K].
torch::Tensor sums_of_some(const torch::Tensor& rows, int64_t start, int64_t count,
                           const torch::Tensor& one_hot, const Neighborhood& near) {
  const auto place = torch::arange(rows.size(0), torch::TensorOptions(rows.device()));
  const auto is_self = place.narrow(0, start, count).unsqueeze(1) == place;
  const auto t = distances(rows.narrow(0, start, count), rows, near.metric) / near.bandwidth;
  const auto outside = (t >= 1) | is_self;
  // Filled before the profile as well: far away its slope may be infinite, and 0 times that is not
  // a number.
  const auto kappa = profile(t.masked_fill(outside, 0), near.kernel).masked_fill(outside, 0);
  return kappa.mm(one_hot);
}

torch::Tensor one_hot_classes(const torch::Tensor& rows, const torch::Tensor& ids,
                              int64_t num_classes) {
  return torch::one_hot(ids, num_classes).to(rows.scalar_type());  // [M, K]
}

template <class T>
SmoothingProblem<T> problem_of(const torch::Tensor& rows, const torch::Tensor& ids,
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

/// The two ways of computing; both give sums [M, K] and gradients [M, D].
struct ByKernels {
  static torch::Tensor sums(const torch::Tensor& rows, const torch::Tensor& ids,
                            int64_t num_classes, const Neighborhood& near) {
    const auto out = torch::empty({rows.size(0), num_classes}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "neighbor_sums", [&] {
      kernel_sums(problem_of<scalar_t>(rows, ids, num_classes, near), out.data_ptr<double>());
    });
    return out;
  }

  static torch::Tensor gradient(const torch::Tensor& rows, const torch::Tensor& ids,
                                const torch::Tensor& grad, const Neighborhood& near) {
    const auto out = torch::empty_like(rows);
    AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "neighbor_sums", [&] {
      kernel_sums_gradient(problem_of<scalar_t>(rows, ids, grad.size(1), near),
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

  /// Computes the sums again, some rows at a time, and lets autograd differentiate those.
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
    return {.kernel = static_cast<SmoothingKernel>(ctx->saved_data["kernel"].toInt()),
            .metric = static_cast<Metric>(ctx->saved_data["metric"].toInt()),
            .bandwidth = ctx->saved_data["bandwidth"].toDouble()};
  }
};

template <class How>
torch::Tensor neighbor_sums_by(const torch::Tensor& rows, const ClassGroups& groups,
                               const Neighborhood& near) {
  // The loops compare rows by their dot products: the cosine of other rows is that of unit ones.
  const auto compared = near.metric == Metric::kCosine ? unit_rows(rows) : rows;
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

}  // namespace projnce
