#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "projnce/projection/class_groups.h"
#include "projnce/projection/nadaraya_watson.h"
#include "projnce/projection/perp.h"
#include "projnce/theory/experiments.h"
#include "projnce/theory/sources.h"

namespace projnce {

namespace {

struct RegressionReference {
  int64_t rows;
  int64_t repetitions;
  Estimate posterior;  // sup |NW - p|
  Estimate vectors;    // |g - class mean|
  Estimate centroids;  // |centroid - class mean|
};
constexpr RegressionReference kRegressions[] = {
    {64, 60, {.491, .013}, {.202, .005}, {.194, .005}},
    {256, 40, {.352, .010}, {.101, .003}, {.092, .003}},
    {1024, 16, {.237, .010}, {.051, .002}, {.044, .002}},
    {4096, 4, {.156, .007}, {.031, .002}, {.026, .002}}};

struct RegressionErrors {
  double posterior;
  double vectors;
  double centroids;
};

RegressionErrors regression_errors(const VmfMixture& source, int64_t rows,
                                   const NadarayaWatsonOptions& options,
                                   torch::Generator& generator) {
  const auto sample = source.draw(rows, generator);
  const auto groups = group_by_class(sample.labels);
  const auto q = nadaraya_watson(sample.embeddings, groups, options);  // [N, K]
  const auto truth = source.posterior(sample.embeddings).index_select(1, groups.labels);
  const auto means = source.class_means().index_select(0, groups.labels);
  const auto distance = [&](const torch::Tensor& vectors) {
    return (vectors - means).norm(2, 1).mean().item<double>();
  };
  return {(q - truth).abs().max().item<double>(), distance(soft_means(q, sample.embeddings)),
          distance(class_means(groups, sample.embeddings))};
}

struct RegressionEstimates {
  Estimate posterior;
  Estimate vectors;
  Estimate centroids;
};

RegressionEstimates simulate_regression(const VmfMixture& source, int64_t rows, int64_t repetitions,
                                        const NadarayaWatsonOptions& options, uint64_t seed) {
  auto generator = experiment_generator(seed);
  std::vector<double> posterior;
  std::vector<double> vectors;
  std::vector<double> centroids;
  for (int64_t i = 0; i < repetitions; ++i) {
    const auto errors = regression_errors(source, rows, options, generator);
    posterior.push_back(errors.posterior);
    vectors.push_back(errors.vectors);
    centroids.push_back(errors.centroids);
  }
  return {estimate_from(posterior), estimate_from(vectors), estimate_from(centroids)};
}

NadarayaWatsonOptions regression_options(double bandwidth) {
  return {.kernel = SmoothingKernel::kEpanechnikov, .metric = Metric::kL2, .bandwidth = bandwidth};
}

std::vector<std::string> regression_row(const std::string& name,
                                        const RegressionEstimates& values) {
  return {name, to_text(values.posterior), to_text(values.vectors), to_text(values.centroids)};
}

void check_decreases(const std::string& what, const Estimate& before, const Estimate& after,
                     Claims& claims) {
  claims.add(fmt::format("{}: {} after {}", what, to_text(after), to_text(before)),
             after.mean < before.mean + 4 * std::hypot(before.se, after.se));
}

/// The smallest l1 distance among random unit rows, which bandwidths compare with.
double smallest_l1_distance(int64_t rows, int64_t dim, uint64_t seed) {
  auto generator = experiment_generator(seed);
  auto z = torch::randn({rows, dim}, generator, torch::kFloat64);
  z = z / z.norm(2, 1, true);
  auto distances = torch::cdist(z, z, /*p=*/1);
  distances.fill_diagonal_(std::numeric_limits<double>::infinity());
  return distances.min().item<double>();
}

}  // namespace

TheoryResult kernel_regression(const TheoryOptions& options) {
  const VmfMixture source(6, 4);
  Claims claims;
  TheoryTable table{
      .caption = "vMF(6, 4), l2, Epanechnikov, own row included",
      .header = {"N, bandwidth", "sup |NW - p|", "perp vector error", "centroid error"}};
  ChartSeries posterior{.name = "sup |NW - p|", .points = {}};
  ChartSeries vectors{.name = "perp vector error", .points = {}};
  ChartSeries centroids{.name = "centroid error", .points = {}};
  std::optional<RegressionEstimates> before;
  for (const auto& reference : kRegressions) {
    if (reference.rows > 1024 && options.effort < 1) continue;
    const double bandwidth = 1.6 * std::pow(static_cast<double>(reference.rows), -1.0 / 6);
    const auto values =
        simulate_regression(source, reference.rows, options.scaled(reference.repetitions),
                            regression_options(bandwidth), options.seed + 106);
    const auto at = fmt::format(", N = {}", reference.rows);
    claims.agrees("sup |NW - p|" + at, values.posterior, reference.posterior);
    claims.agrees("perp vector error" + at, values.vectors, reference.vectors);
    claims.agrees("centroid error" + at, values.centroids, reference.centroids);
    if (before) {
      check_decreases("sup |NW - p| decreases" + at, before->posterior, values.posterior, claims);
      check_decreases("perp vector error decreases" + at, before->vectors, values.vectors, claims);
    }
    before = values;
    table.rows.push_back(
        regression_row(fmt::format("{}, {:.3f}", reference.rows, bandwidth), values));
    const auto x = static_cast<double>(reference.rows);
    posterior.points.push_back({.x = x, .y = values.posterior.mean, .error = values.posterior.se});
    vectors.points.push_back({.x = x, .y = values.vectors.mean, .error = values.vectors.se});
    centroids.points.push_back({.x = x, .y = values.centroids.mean, .error = values.centroids.se});
  }
  const int64_t most = options.effort < 1 ? 1024 : 4096;
  const auto fixed = simulate_regression(source, most, options.scaled(4), regression_options(0.9),
                                         options.seed + 206);
  claims.at_least("a fixed bandwidth of 0.9 stalls: perp vector error", fixed.vectors, 0.08);
  table.rows.push_back(regression_row(fmt::format("{}, 0.9 fixed", most), fixed));
  const auto narrow = simulate_regression(source, 1024, options.scaled(4), regression_options(0.02),
                                          options.seed + 306);
  claims.at_least("a bandwidth of 0.02 returns hard labels: sup |NW - p|", narrow.posterior, 0.9);
  claims.equals("a bandwidth of 0.02 returns centroids: error", narrow.vectors.mean,
                narrow.centroids.mean, 0.005);
  table.rows.push_back(regression_row("1024, 0.02", narrow));
  const double nearest = smallest_l1_distance(512, 128, options.seed + 406);
  claims.at_least("smallest l1 distance among 512 unit rows in 128 dimensions", {nearest, 0}, 9);
  return {.id = "T6",
          .title = "Nadaraya-Watson regression is consistent, and the centroid suffices",
          .summary =
              "With a bandwidth that shrinks as N^(-1/6), soft labels approach p(c|z) and perp "
              "vectors approach the class means. The plain centroid is at least as near on "
              "clean data; a fixed bandwidth stalls, and one smaller than all distances "
              "returns the centroid.",
          .tables = {table},
          .chart = {.title = "Errors of soft labels and class vectors",
                    .subtitle = "vMF(6, 4), bandwidth 1.6 N^(-1/6)",
                    .x = {.title = "rows N", .log = true},
                    .y = {.title = "error", .log = true},
                    .series = {posterior, vectors, centroids}},
          .claims = claims.all()};
}

}  // namespace projnce
