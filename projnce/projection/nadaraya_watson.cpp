#include "projnce/projection/nadaraya_watson.h"

#include <cmath>
#include <numbers>

#include "projnce/core/error.h"

namespace projnce {

namespace {

/// Without the matrix product that loses the digits of small distances.
constexpr int64_t kExactDistances = 2;

torch::Tensor distances(const torch::Tensor& rows, Metric metric) {
  if (metric == Metric::kCosine) {
    const auto unit = unit_rows(rows);
    return 0.5 - 0.5 * unit.mm(unit.t());
  }
  return torch::cdist(rows, rows, metric == Metric::kL1 ? 1.0 : 2.0, kExactDistances);
}

double diameter(Metric metric, int64_t dim) {
  switch (metric) {
    case Metric::kL1:
      return 2 * std::sqrt(static_cast<double>(dim));
    case Metric::kL2:
      return 2;
    case Metric::kCosine:
      return 1;
  }
  TORCH_CHECK(false, "no such metric");
}

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
  const auto is_self = torch::eye(rows.size(0), groups.ids.options()).to(torch::kBool);
  // A row's distance from itself is 0 whatever the rounding of the cosine says.
  const auto t =
      (distances(rows, options.metric) / (scale * options.bandwidth)).masked_fill(is_self, 0);
  const auto outside = options.exclude_self ? (t > 1) | is_self : t > 1;
  const auto kappa = profile(t, options.kernel).masked_fill(outside, 0);  // [M, M]

  const auto hard = torch::one_hot(groups.ids, groups.size()).to(rows.scalar_type());  // [M, K]
  const auto total = kappa.sum(/*dim=*/1, /*keepdim=*/true);
  const auto alone = total == 0;
  return torch::where(alone, hard, kappa.mm(hard) / total.masked_fill(alone, 1));
}

}  // namespace projnce
