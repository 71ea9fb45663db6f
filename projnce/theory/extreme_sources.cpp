#include <fmt/format.h>

#include <cmath>

#include "projnce/eval/nearest_centroid.h"
#include "projnce/theory/batch_values.h"
#include "projnce/theory/experiments.h"
#include "projnce/theory/sources.h"

namespace projnce {

namespace {

constexpr int64_t kNullDimensions = 128;

struct NullReference {
  int64_t views;
  int64_t classes;
  double letter;
  double batch_centroids;
  double leave_one_out;
  Estimate pair;
  Estimate normalized;
};
constexpr NullReference kNulls[] = {{1, 2, -.200, .026, -.245, {-.245, .001}, {-.001, .001}},
                                    {1, 10, .013, .231, -.253, {-.253, .003}, {-.017, .003}},
                                    {1, 100, 2.337, 2.372, -.323, {-.349, .009}, {-.209, .010}},
                                    {1, 1000, 10.01, 5.653, -.664, {-.299, .013}, {-.298, .013}},
                                    {2, 2, -.736, .039, -.787, {-.244, .002}, {-.002, .001}},
                                    {2, 10, -.402, .352, -.672, {-.247, .004}, {-.016, .003}},
                                    {2, 100, 1.515, 2.955, .882, {-.367, .008}, {-.281, .008}},
                                    {2, 1000, -5.344, 5.191, 4.670, {-.133, .013}, {-.132, .013}}};

struct NullValues {
  Estimate letter;
  Estimate batch_centroids;
  Estimate leave_one_out;
  Estimate pair;
  Estimate normalized;
};

NullValues simulate_null(const NullReference& reference, int64_t rows, int64_t repetitions,
                         double temperature, torch::Generator& generator) {
  std::vector<double> letter;
  std::vector<double> centroids;
  std::vector<double> leave_one_out;
  std::vector<double> pair;
  std::vector<double> normalized;
  for (int64_t i = 0; i < repetitions; ++i) {
    const auto batch =
        draw_null(rows, reference.classes, kNullDimensions, reference.views, generator);
    letter.push_back(letter_of_the_paper(batch, temperature));
    const auto vectors = class_centroids(batch.embeddings, batch.labels, reference.classes,
                                         /*normalize=*/false);
    centroids.push_back(log_rows_minus_class_loss(batch, torch::nan_to_num(vectors), temperature));
    leave_one_out.push_back(leave_one_out_value(batch, temperature).value);
    const auto bound = batch_pair_bound(batch, reference.classes, temperature);
    pair.push_back(bound.value);
    normalized.push_back(bound.normalized);
  }
  return {estimate_from(letter), estimate_from(centroids), estimate_from(leave_one_out),
          estimate_from(pair), estimate_from(normalized)};
}

TheoryTable null_table(const TheoryOptions& options, Claims& claims, LineChart& chart) {
  TheoryTable table{
      .caption = "random labels, d = 128, temperature 0.07, N = 512; the truth is 0",
      .header = {"views, classes", "letter of the paper", "batch centroids, log N - L",
                 "former leave-one-out value", "pair", "normalized"}};
  ChartSeries former{.name = "former leave-one-out value", .points = {}};
  ChartSeries pair{.name = "pair form (certified)", .points = {}};
  ChartSeries normalized{.name = "normalized pair form (certified)", .points = {}};
  auto generator = experiment_generator(options.seed + 105);
  for (const auto& reference : kNulls) {
    const auto values = simulate_null(reference, 512, options.scaled(16), 0.07, generator);
    const auto at = fmt::format(", random labels, {} view{}, {} classes", reference.views,
                                reference.views == 1 ? "" : "s", reference.classes);
    claims.at_most("pair form" + at, values.pair, 0);
    claims.at_most("normalized pair form" + at, values.normalized, 0);
    claims.agrees("pair form" + at, values.pair, reference.pair);
    claims.agrees("normalized pair form" + at, values.normalized, reference.normalized);
    // References without a standard error: as uncertain as these values.
    const auto like = [](double mean, const Estimate& value) { return Estimate{mean, value.se}; };
    claims.agrees("letter" + at, values.letter, like(reference.letter, values.letter), 0.005);
    claims.agrees("batch centroids" + at, values.batch_centroids,
                  like(reference.batch_centroids, values.batch_centroids));
    claims.agrees("former leave-one-out value" + at, values.leave_one_out,
                  like(reference.leave_one_out, values.leave_one_out));
    table.rows.push_back({fmt::format("{}, {}", reference.views, reference.classes),
                          to_text(values.letter), to_text(values.batch_centroids),
                          to_text(values.leave_one_out), to_text(values.pair),
                          to_text(values.normalized)});
    if (reference.views != 2) continue;
    const auto x = static_cast<double>(reference.classes);
    former.points.push_back(
        {.x = x, .y = values.leave_one_out.mean, .error = values.leave_one_out.se});
    pair.points.push_back({.x = x, .y = values.pair.mean, .error = values.pair.se});
    normalized.points.push_back(
        {.x = x, .y = values.normalized.mean, .error = values.normalized.se});
  }
  chart.series = {former, normalized, pair};
  return table;
}

/// Other temperatures and batch sizes, where there is nothing to know either.
void check_other_nulls(const TheoryOptions& options, Claims& claims) {
  auto generator = experiment_generator(options.seed + 1105);
  for (const auto& reference : kNulls) {
    for (const auto& [rows, temperature] :
         {std::pair(int64_t{256}, 0.07), std::pair(int64_t{512}, 0.2),
          std::pair(int64_t{512}, 1.0)}) {
      std::vector<double> values;
      for (int64_t i = 0; i < options.scaled(16); ++i) {
        const auto batch =
            draw_null(rows, reference.classes, kNullDimensions, reference.views, generator);
        values.push_back(batch_pair_bound(batch, reference.classes, temperature).normalized);
      }
      claims.at_most(
          fmt::format("normalized pair form, random labels, {} views, {} classes, N = {}, "
                      "temperature {}",
                      reference.views, reference.classes, rows, temperature),
          estimate_from(values), 0);
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
      .caption = "separated classes: row e_c for class c",
      .header = {"classes, N, temperature", "log M", "log(N-1) - SupCon", "pair", "normalized"}};
  auto generator = experiment_generator(options.seed + 205);
  for (const auto& reference : kSeparated) {
    std::vector<double> supcon;
    std::vector<double> pair;
    std::vector<double> normalized;
    for (int64_t i = 0; i < options.scaled(100); ++i) {
      const auto batch = draw_separated(reference.rows, reference.classes, generator);
      supcon.push_back(log_rows_minus_supcon(batch, reference.temperature));
      const auto bound = batch_pair_bound(batch, reference.classes, reference.temperature);
      pair.push_back(bound.value);
      normalized.push_back(bound.normalized);
    }
    const double entropy = std::log(static_cast<double>(reference.classes));
    const auto at = fmt::format(", {} separated classes, N = {}, temperature {}", reference.classes,
                                reference.rows, reference.temperature);
    claims.at_most("pair form" + at, estimate_from(pair), entropy);
    claims.at_most("normalized pair form" + at, estimate_from(normalized), entropy);
    claims.agrees("log(N-1) - SupCon" + at, estimate_from(supcon),
                  {reference.supcon, kReferenceError});
    claims.agrees("pair form" + at, estimate_from(pair), {reference.pair, kReferenceError});
    claims.agrees("normalized pair form" + at, estimate_from(normalized),
                  {reference.normalized, kReferenceError});
    table.rows.push_back(
        {fmt::format("{}, {}, {}", reference.classes, reference.rows, reference.temperature),
         fmt::format("{:.3f}", entropy), to_text(estimate_from(supcon)),
         to_text(estimate_from(pair)), to_text(estimate_from(normalized))});
  }
  return table;
}

}  // namespace

TheoryResult extreme_sources(const TheoryOptions& options) {
  Claims claims;
  LineChart chart{.title = "Random labels, two views: the truth is 0",
                  .subtitle = "d = 128, temperature 0.07, N = 512",
                  .x = {.title = "number of classes", .log = true},
                  .y = {.title = "nats"},
                  .reference_lines = {{"I(Z;C)", 0}}};
  auto nulls = null_table(options, claims, chart);
  check_other_nulls(options, claims);
  auto separated = separated_table(options, claims);
  return {.id = "T5",
          .title = "Random labels and separated classes",
          .summary =
              "Certified values must be at most 0 for labels that have nothing to do with the "
              "rows, and at most log M for M separated classes. Values that losses give on a "
              "batch are not.",
          .tables = {std::move(nulls), std::move(separated)},
          .chart = std::move(chart),
          .claims = claims.all()};
}

}  // namespace projnce
