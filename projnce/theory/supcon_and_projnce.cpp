#include <fmt/format.h>

#include <array>
#include <utility>

#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

/// Reference values of one source and batch size.
struct CentroidReference {
  int64_t classes;
  double kappa;
  int64_t rows;
  int64_t repetitions;
  Estimate supcon;
  Estimate paper;
  Estimate pair;
  Estimate normalized;
  double batch_ratio;  // without a standard error
  double prior_ratio;
  bool paper_exceeds;  // the paper's formula exceeds I
};
constexpr CentroidReference kCentroids[] = {
    {6, 4, 8, 2000, {.201, .015}, {1.878, .009}, {.239, .010}, {.310, .009}, .733, .914, true},
    {6, 4, 32, 1000, {.111, .012}, {1.031, .007}, {.583, .010}, {.883, .007}, .459, .528, false},
    {6, 4, 512, 60, {.043, .011}, {.701, .009}, {.675, .009}, {1.061, .005}, .367, .368, false},
    {6, 12, 8, 2000, {1.140, .011}, {3.118, .054}, {.860, .006}, {.969, .006}, .749, .967, true},
    {6, 12, 512, 60, {.879, .009}, {1.430, .006}, {1.408, .006}, {1.733, .002}, .466, .471, false},
    {20, 20, 8, 2000, {1.530, .013}, {6.298, .040}, {.425, .006}, {.430, .006}, .893, .994, true},
    {20,
     20,
     32,
     1000,
     {1.820, .014},
     {3.188, .009},
     {1.526, .010},
     {1.668, .009},
     .686,
     .928,
     true},
    {20,
     20,
     512,
     60,
     {1.670, .011},
     {2.306, .008},
     {2.233, .008},
     {2.570, .005},
     .424,
     .436,
     false},
    {20,
     20,
     2048,
     8,
     {1.653, .016},
     {2.256, .012},
     {2.238, .012},
     {2.585, .006},
     .412,
     .415,
     false}};

struct CentroidValues {
  Estimate supcon;
  Estimate paper;
  Estimate pair;
  Estimate normalized;
  Estimate batch_ratio;  // R with batch counts
  Estimate prior_ratio;  // R with priors
};

CentroidValues simulate_centroids(const VmfMixture& source, int64_t rows, int64_t repetitions,
                                  torch::Generator& generator) {
  const double temperature = source.optimal_temperature();
  const auto [supcon, paper, pair, normalized, batch_ratio, prior_ratio] = repeat(repetitions, [&] {
    const auto batch = source.draw(rows, generator);
    const auto bound = batch_pair_bound(batch, source.num_classes(), temperature);
    return std::array{log_rows_minus_supcon(batch, temperature),
                      paper_value(batch, temperature),
                      bound.value,
                      bound.normalized,
                      leave_row_out_value(batch, temperature).ratio,
                      bound.mean_ratio.mean().item<double>()};
  });
  return {supcon, paper, pair, normalized, batch_ratio, prior_ratio};
}

void check_centroids(const CentroidReference& reference, const VmfMixture& source,
                     const CentroidValues& values, Claims& claims) {
  const auto at = fmt::format(", {}, N = {}", source.name(), reference.rows);
  claims.add("pair form <= normalized pair form" + at, values.pair.mean <= values.normalized.mean);
  claims.at_most("normalized pair form" + at, values.normalized, {source.information()});
  claims.at_most("R weighted by batch counts" + at, values.batch_ratio, {1});
  claims.agrees("pair form" + at, values.pair, reference.pair);
  claims.agrees("normalized pair form" + at, values.normalized, reference.normalized);
  claims.agrees("log(N-1) - SupCon" + at, values.supcon, reference.supcon);
  claims.agrees("paper's formula" + at, values.paper, reference.paper);
  claims.agrees("R weighted by batch counts" + at, values.batch_ratio,
                {reference.batch_ratio, values.batch_ratio.se});
  claims.agrees("R weighted by priors" + at, values.prior_ratio,
                {reference.prior_ratio, values.prior_ratio.se});
  if (reference.paper_exceeds) {
    claims.exceeds("the paper's formula exceeds I" + at, values.paper, source.information());
  }
}

TheoryTable centroid_table(const TheoryOptions& options, Claims& claims, report::LineChart& chart) {
  TheoryTable table{.caption = "raw centroids at the optimal temperature",
                    .header = {"source, N", "I", "log(N-1) - SupCon", "paper's formula", "pair",
                               "normalized", "R, batch counts", "R, priors"}};
  report::ChartSeries supcon{.name = "log(N-1) - SupCon", .points = {}};
  report::ChartSeries paper{.name = "paper's formula", .points = {}};
  report::ChartSeries pair{.name = "pair form (certified)", .points = {}};
  report::ChartSeries normalized{.name = "normalized pair form (certified)", .points = {}};
  for (const auto& reference : kCentroids) {
    if (reference.rows > 512 && !options.full()) continue;
    const VmfMixture source(reference.classes, reference.kappa);
    auto generator = experiment_generator(options.seed + 104 + uint64_t(reference.rows));
    const auto values = simulate_centroids(source, reference.rows,
                                           options.scaled(reference.repetitions, 12), generator);
    check_centroids(reference, source, values, claims);
    table.rows.push_back({fmt::format("{}, {}", source.name(), reference.rows),
                          fmt::format("{:.3f}", source.information()), to_text(values.supcon),
                          to_text(values.paper), to_text(values.pair), to_text(values.normalized),
                          to_text({values.batch_ratio.mean}), to_text({values.prior_ratio.mean})});
    if (reference.classes != 20) continue;
    const auto x = static_cast<double>(reference.rows);
    for (const auto& [series, value] :
         {std::pair(&supcon, values.supcon), std::pair(&paper, values.paper),
          std::pair(&pair, values.pair), std::pair(&normalized, values.normalized)}) {
      series->points.push_back(chart_point(x, value));
    }
    chart.reference_lines = {{"I(Z;C)", source.information()}};
  }
  chart.series = {paper, normalized, pair, supcon};
  return table;
}

struct UnitReference {
  double kappa;
  double temperature;
  Estimate without_ratio;  // log(N-1) - self-p
  Estimate certified;
  Estimate normalized;
  bool exceeds;
};
constexpr UnitReference kUnitVectors[] = {
    {4, 0.2, {1.063, .010}, {1.003, .009}, {1.048, .009}, false},
    {8, 0.2, {1.642, .004}, {1.510, .004}, {1.545, .004}, true},
    {12, 0.07, {1.864, .006}, {1.517, .005}, {1.734, .003}, true},
    {12, 0.2, {1.787, .002}, {1.633, .002}, {1.660, .002}, true}};

TheoryTable unit_vector_table(const TheoryOptions& options, Claims& claims) {
  constexpr int64_t kUnitRows = 256;
  TheoryTable table{
      .caption = "unit class vectors against rows (cosine critic), 6 classes, N = 256",
      .header = {"kappa, temperature", "I", "log(N-1) - self-p", "certified", "normalized"}};
  for (const auto& reference : kUnitVectors) {
    const VmfMixture source(6, reference.kappa);
    auto generator = experiment_generator(options.seed + 204);
    const auto [without_ratio, certified, normalized] = repeat(options.scaled(60, 16), [&] {
      const auto bound = information::general_bound(
          source.draw(kUnitRows, generator), source.centers(), {},
          {.temperature = reference.temperature, .priors = {.num_classes = 6}, .batches = 1});
      return std::array{bound.log_ratio.mean().item<double>(), bound.value, bound.normalized};
    });
    const auto at = fmt::format(", unit vectors, kappa = {}, temperature {}", reference.kappa,
                                reference.temperature);
    claims.at_most("with R" + at, certified, {source.information()});
    claims.at_most("normalized" + at, normalized, {source.information()});
    claims.agrees("with R" + at, certified, reference.certified);
    claims.agrees("normalized" + at, normalized, reference.normalized);
    claims.agrees("without R" + at, without_ratio, reference.without_ratio);
    if (reference.exceeds) {
      claims.exceeds("without R the value exceeds I" + at, without_ratio, source.information());
    }
    table.rows.push_back({fmt::format("{}, {}", reference.kappa, reference.temperature),
                          fmt::format("{:.3f}", source.information()), to_text(without_ratio),
                          to_text(certified), to_text(normalized)});
  }
  return table;
}

}  // namespace

TheoryResult supcon_and_projnce(const TheoryOptions& options) {
  Claims claims;
  report::LineChart chart{.title = "SupCon, ProjNCE and their certified forms",
                          .subtitle = "vMF(20, 20), raw centroids, optimal temperature",
                          .x = {.title = "batch size N", .log = true},
                          .y = {.title = "nats"}};
  auto centroids = centroid_table(options, claims, chart);
  auto unit_vectors = unit_vector_table(options, claims);
  return {.id = "T4",
          .title = "SupCon, ProjNCE and the cosine critic",
          .summary =
              "The certified forms must stay below I(Z;C). The formula as the paper prints it, "
              "in which the anchor is one of its own positives, exceeds I(Z;C) for small "
              "batches; unit class vectors without R exceed it too.",
          .tables = {std::move(centroids), std::move(unit_vectors)},
          .chart = std::move(chart),
          .claims = claims.all()};
}

}  // namespace projnce::theory
