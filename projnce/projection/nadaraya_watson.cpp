#include "projnce/projection/nadaraya_watson.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/projection/neighbor_sums.h"

namespace projnce {

namespace {

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

}  // namespace projnce
