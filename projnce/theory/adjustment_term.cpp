#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/grouped_batch.h"
#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

constexpr int64_t kRows = 256;

struct AlphaReference {
  double alpha;
  Estimate without_ratio;
  Estimate certified;
  double limit_without_ratio;  // N to infinity
  double limit_certified;
};
constexpr AlphaReference kAlphas[] = {{0.5, {-0.429, .002}, {0.303, .002}, -0.4349, 0.2993},
                                      {0.8, {0.473, .003}, {0.907, .003}, 0.4659, 0.9050},
                                      {1, {1.074, .004}, {1.064, .004}, 1.0664, 1.0664},
                                      {1.1, {1.375, .005}, {1.004, .004}, 1.3667, 1.0102},
                                      {1.25, {1.826, .005}, {0.627, .005}, 1.8171, 0.6418},
                                      {1.5, {2.577, .006}, {-1.408, .007}, 2.5678, -1.3599},
                                      {2, {4.080, .008}, {-22.6, .05}, 4.0691, -22.2391}};

/// log(N-1) - self-p with g+ = alpha times the class mean and g- the class means of the batch.
double log_rows_minus_self_p(const VmfMixture& source, const information::LabeledRows& rows,
                             double alpha) {
  auto batch = loss::make_batch(rows.embeddings, rows.labels);
  batch.with_parts = false;
  const auto grouped = loss::validate_batch(batch, loss::GroupBy::kClass, "theory");
  const auto of_rows = source.class_means().index_select(0, rows.labels);
  const auto terms = loss::generalized_infonce(
      grouped, {.vectors = alpha * of_rows, .per_row = true}, {.vectors = of_rows, .per_row = true},
      {.temperature = source.optimal_temperature(), .beta = 0});
  return std::log(static_cast<double>(rows.labels.size(0) - 1)) - terms.self_p.item<double>();
}

/// The general form with the negatives of N - 1 other rows.
double certified_value(const VmfMixture& source, const information::LabeledRows& rows,
                       const information::LabeledRows& others, double alpha) {
  return information::general_bound(rows, alpha * source.class_means(),
                                    source.class_means().index_select(0, others.labels),
                                    {.temperature = source.optimal_temperature(),
                                     .priors = {.num_classes = source.num_classes()}})
      .value;
}

struct AlphaValues {
  Estimate without_ratio;
  Estimate certified;
};

AlphaValues simulate_alpha(const VmfMixture& source, double alpha, const TheoryOptions& options,
                           torch::Generator& generator) {
  const auto [without_ratio, certified] = repeat(options.scaled(200, 8), [&] {
    const auto rows = source.draw(kRows, generator);
    const auto others = source.draw(kRows - 1, generator);
    return std::array{log_rows_minus_self_p(source, rows, alpha),
                      certified_value(source, rows, others, alpha)};
  });
  return {without_ratio, certified};
}

/// Both values for N to infinity, by quadrature: the negatives are then the class means.
AlphaValues limit_of_alpha(const VmfMixture& source, double alpha) {
  const auto& points = sphere_rule().points;
  std::vector<torch::Tensor> log_ratio;
  std::vector<torch::Tensor> terms;
  for (int64_t c = 0; c < source.num_classes(); ++c) {
    const auto bound =
        information::general_bound({points, torch::full({points.size(0)}, c, torch::kInt64)},
                                   alpha * source.class_means(), source.class_means(),
                                   {.temperature = source.optimal_temperature(),
                                    .priors = {.num_classes = source.num_classes()}});
    log_ratio.push_back(bound.log_ratio);
    terms.push_back(bound.terms);
  }
  return {{source.expectation(torch::stack(log_ratio, 1))},
          {source.expectation(torch::stack(terms, 1))}};
}

}  // namespace

TheoryResult adjustment_term(const TheoryOptions& options) {
  const VmfMixture source(6, 4);
  auto generator = experiment_generator(options.seed + 103);
  const double information = source.information();
  Claims claims;
  TheoryTable table{
      .caption = fmt::format("vMF(6, 4), N = 256, I = {:.4f}", information),
      .header = {"alpha", "without R", "with R (certified)", "limit without R", "limit with R"}};
  struct {
    double alpha = 0;
    Estimate value = {-std::numeric_limits<double>::infinity()};
  } best;
  report::ChartSeries without{.name = "without R", .points = {}};
  report::ChartSeries with{.name = "with R (certified)", .points = {}};
  for (const auto& reference : kAlphas) {
    const double alpha = reference.alpha;
    const auto values = simulate_alpha(source, alpha, options, generator);
    const auto limit = limit_of_alpha(source, alpha);
    const auto at = fmt::format(" at alpha = {}", alpha);
    claims.at_most("with R" + at, values.certified, {information});
    claims.agrees("with R" + at, values.certified, reference.certified, alpha == 2 ? 0.05 : 0.0005);
    claims.agrees("without R" + at, values.without_ratio, reference.without_ratio);
    claims.equals("limit with R" + at, limit.certified.mean, reference.limit_certified, 5e-5);
    claims.equals("limit without R" + at, limit.without_ratio.mean, reference.limit_without_ratio,
                  5e-5);
    if (alpha >= 1.05) {
      claims.exceeds("without R the value exceeds I" + at, values.without_ratio, information);
    }
    table.rows.push_back({fmt::format("{}", alpha), to_text(values.without_ratio),
                          to_text(values.certified), to_text(limit.without_ratio, 4),
                          to_text(limit.certified, 4)});
    without.points.push_back(chart_point(alpha, values.without_ratio));
    with.points.push_back(chart_point(alpha, values.certified));
    if (values.certified.mean > best.value.mean) best = {alpha, values.certified};
    claims.at_most("limit with R" + at, limit.certified, {information});
  }
  claims.equals("the value with R is largest at alpha", best.alpha, 1, 0);
  return {.id = "T3",
          .title = "Without R, general projections are not a bound",
          .summary =
              "g+ is alpha times the class mean, g- the class means of the batch. Without the "
              "adjustment term R the value grows with alpha beyond I(Z;C); with R its "
              "expectation is largest near alpha = 1 and at most I(Z;C).",
          .tables = {table},
          .chart = {.title = "The adjustment term R keeps the value below I(Z;C)",
                    .subtitle = "vMF(6, 4), N = 256, optimal temperature; at alpha = 2 the value "
                                "with R is below the chart",
                    .x = {.title = "alpha"},
                    .y = {.title = "nats", .range = std::pair(-2.0, 4.5)},
                    .series = {without, with},
                    .reference_lines = {{"I(Z;C)", information}}},
          .claims = claims.all()};
}

}  // namespace projnce::theory
