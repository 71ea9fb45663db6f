#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "projnce/core/counted.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

constexpr int64_t kDimensions128 = 128;
constexpr int64_t kRandomRows = 512;
constexpr double kRandomTemperature = 0.07;

/// Reference values for random labels; those without a standard error have none.
struct RandomLabelReference {
  int64_t views;
  int64_t classes;
  double paper;
  double batch_centroids;
  double leave_row_out;
  Estimate pair;
  Estimate normalized;
};
constexpr RandomLabelReference kRandomLabels[] = {
    {1, 2, -.200, .026, -.245, {-.245, .001}, {-.001, .001}},
    {1, 10, .013, .231, -.253, {-.253, .003}, {-.017, .003}},
    {1, 100, 2.337, 2.372, -.323, {-.349, .009}, {-.209, .010}},
    {1, 1000, 10.01, 5.653, -.664, {-.299, .013}, {-.298, .013}},
    {2, 2, -.736, .039, -.787, {-.244, .002}, {-.002, .001}},
    {2, 10, -.402, .352, -.672, {-.247, .004}, {-.016, .003}},
    {2, 100, 1.515, 2.955, .882, {-.367, .008}, {-.281, .008}},
    {2, 1000, -5.344, 5.191, 4.670, {-.133, .013}, {-.132, .013}}};

struct RandomLabelValues {
  Estimate paper;
  Estimate batch_centroids;
  Estimate leave_row_out;
  Estimate pair;
  Estimate normalized;
};

RandomLabelValues simulate_random_labels(const RandomLabelReference& reference, int64_t repetitions,
                                         torch::Generator& generator) {
  const auto [paper, batch_centroids, leave_row_out, pair, normalized] = repeat(repetitions, [&] {
    const auto batch = draw_random_labels(kRandomRows, reference.classes, kDimensions128,
                                          reference.views, generator);
    const auto centroids =
        torch::nan_to_num(eval::class_centroids(batch.embeddings, batch.labels, reference.classes,
                                                /*normalize=*/false));
    const auto bound = batch_pair_bound(batch, reference.classes, kRandomTemperature);
    return std::array{paper_value(batch, kRandomTemperature),
                      log_rows_minus_class_loss(batch, centroids, kRandomTemperature),
                      leave_row_out_value(batch, kRandomTemperature).value, bound.value,
                      bound.normalized};
  });
  return {paper, batch_centroids, leave_row_out, pair, normalized};
}

std::string views_text(const RandomLabelReference& reference) {
  return concat("random labels, ", counted(reference.views, "view"), ", ", reference.classes,
                " classes");
}

void check_random_labels(const RandomLabelReference& reference, const RandomLabelValues& values,
                         Claims& claims) {
  const auto at = ", " + views_text(reference);
  claims.at_most("pair form" + at, values.pair, {0});
  claims.at_most("normalized pair form" + at, values.normalized, {0});
  claims.agrees("pair form" + at, values.pair, reference.pair);
  claims.agrees("normalized pair form" + at, values.normalized, reference.normalized);
  // References without a standard error come from as many repetitions as these values.
  claims.agrees("paper's formula" + at, values.paper, {reference.paper, values.paper.se},
                reference.paper > 10 ? 0.005 : 0.0005);
  claims.agrees("batch centroids" + at, values.batch_centroids,
                {reference.batch_centroids, values.batch_centroids.se});
  claims.agrees("leave-one-row-out value" + at, values.leave_row_out,
                {reference.leave_row_out, values.leave_row_out.se});
  if (reference.views == 2 && reference.classes >= 100) {
    claims.exceeds("leaving out the row, but not its other view, claims information" + at,
                   values.leave_row_out, 0);
  }
}

TheoryTable random_label_table(const TheoryOptions& options, Claims& claims,
                               report::LineChart& chart) {
  TheoryTable table{.caption = "random labels, I = 0; 128 dimensions, temperature 0.07, N = 512",
                    .header = {"views, classes", "paper's formula", "batch centroids, log N - L",
                               "leave-one-row-out", "pair (certified)", "normalized (certified)"}};
  report::ChartSeries leave_row_out{.name = "leave-one-row-out (not a bound)", .points = {}};
  report::ChartSeries pair{.name = "pair form (certified)", .points = {}};
  report::ChartSeries normalized{.name = "normalized pair form (certified)", .points = {}};
  auto generator = experiment_generator(options.seed + 105);
  for (const auto& reference : kRandomLabels) {
    const auto values = simulate_random_labels(reference, options.scaled(16), generator);
    check_random_labels(reference, values, claims);
    table.rows.push_back({fmt::format("{}, {}", reference.views, reference.classes),
                          to_text(values.paper), to_text(values.batch_centroids),
                          to_text(values.leave_row_out), to_text(values.pair),
                          to_text(values.normalized)});
    if (reference.views != 2) continue;
    const auto x = static_cast<double>(reference.classes);
    leave_row_out.points.push_back(chart_point(x, values.leave_row_out));
    pair.points.push_back(chart_point(x, values.pair));
    normalized.points.push_back(chart_point(x, values.normalized));
  }
  chart.series = {leave_row_out, normalized, pair};
  return table;
}

/// The certified values at other batch sizes and temperatures.
void check_other_settings(const TheoryOptions& options, Claims& claims) {
  struct Setting {
    int64_t rows;
    double temperature;
  };
  auto generator = experiment_generator(options.seed + 1105);
  for (const auto& reference : kRandomLabels) {
    for (const auto& setting : {Setting{256, 0.07}, Setting{512, 0.2}, Setting{512, 1.0}}) {
      const auto [pair, normalized] = repeat(options.scaled(16), [&] {
        const auto batch = draw_random_labels(setting.rows, reference.classes, kDimensions128,
                                              reference.views, generator);
        const auto bound = batch_pair_bound(batch, reference.classes, setting.temperature);
        return std::array{bound.value, bound.normalized};
      });
      const auto at = fmt::format(", {}, N = {}, temperature {}", views_text(reference),
                                  setting.rows, setting.temperature);
      claims.at_most("pair form" + at, pair, {0});
      claims.at_most("normalized pair form" + at, normalized, {0});
    }
  }
}

struct SeparatedReference {
  int64_t classes;
  int64_t rows;
  double temperature;
  double supcon;
  double pair;
  double normalized;
};
constexpr SeparatedReference kSeparated[] = {{10, 256, .07, 2.321, 2.283, 2.303},
                                             {35, 256, .07, 3.633, 3.439, 3.554},
                                             {100, 512, .07, 4.708, 4.393, 4.572},
                                             {100, 512, .2, 4.124, 4.030, 4.067},
                                             {200, 512, .07, 5.365, 4.648, 4.817}};

TheoryTable separated_table(const TheoryOptions& options, Claims& claims) {
  constexpr double kReferenceError = 0.005;
  TheoryTable table{
      .caption = "separated classes, I = log M: every row of class c is the unit vector e_c",
      .header = {"classes, N, temperature", "log M", "log(N-1) - SupCon", "pair (certified)",
                 "normalized (certified)", "R, batch counts", "R, priors"}};
  auto generator = experiment_generator(options.seed + 205);
  for (const auto& reference : kSeparated) {
    const auto [supcon, pair, normalized, batch_ratio,
                prior_ratio] = repeat(options.scaled(100, 16), [&] {
      const auto batch = draw_separated(reference.rows, reference.classes, generator);
      const auto bound = batch_pair_bound(batch, reference.classes, reference.temperature);
      return std::array{log_rows_minus_supcon(batch, reference.temperature), bound.value,
                        bound.normalized, leave_row_out_value(batch, reference.temperature).ratio,
                        bound.mean_ratio.mean().item<double>()};
    });
    const double entropy = std::log(static_cast<double>(reference.classes));
    const auto at = fmt::format(", {} separated classes, N = {}, temperature {}", reference.classes,
                                reference.rows, reference.temperature);
    claims.at_most("pair form" + at, pair, {entropy});
    claims.at_most("normalized pair form" + at, normalized, {entropy});
    if (reference.temperature < 0.1) {
      claims.exceeds("log(N-1) - SupCon exceeds I" + at, supcon, entropy);
    }
    claims.agrees("log(N-1) - SupCon" + at, supcon, {reference.supcon, kReferenceError});
    claims.agrees("pair form" + at, pair, {reference.pair, kReferenceError});
    claims.agrees("normalized pair form" + at, normalized, {reference.normalized, kReferenceError});
    claims.at_most("R weighted by batch counts" + at, batch_ratio, {1});
    table.rows.push_back(
        {fmt::format("{}, {}, {}", reference.classes, reference.rows, reference.temperature),
         fmt::format("{:.3f}", entropy), to_text(supcon), to_text(pair), to_text(normalized),
         to_text({batch_ratio.mean}), to_text({prior_ratio.mean})});
  }
  return table;
}

}  // namespace

TheoryResult extreme_sources(const TheoryOptions& options) {
  Claims claims;
  report::LineChart chart{.title = "Random labels, two views: no information",
                          .subtitle = "128 dimensions, temperature 0.07, N = 512",
                          .x = {.title = "number of classes", .log = true},
                          .y = {.title = "nats"},
                          .reference_lines = {{"I(Z;C)", 0}}};
  auto random_labels = random_label_table(options, claims, chart);
  check_other_settings(options, claims);
  auto separated = separated_table(options, claims);
  return {.id = "T5",
          .title = "Random labels and separated classes",
          .summary =
              "Certified values must be at most 0 if labels are independent of the rows, also with "
              "many classes and two views, and at most log M for M separated classes. Values that "
              "losses give on a batch exceed both.",
          .tables = {std::move(random_labels), std::move(separated)},
          .chart = std::move(chart),
          .claims = claims.all()};
}

}  // namespace projnce::theory
