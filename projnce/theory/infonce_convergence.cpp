#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

struct ConvergencePoint {
  int64_t rows;
  Estimate reference;  // of log N - L
};
constexpr ConvergencePoint kConvergence[] = {
    {2, {0.4154, .0016}},   {4, {0.7109, .0013}},   {8, {0.8852, .0010}},    {32, {1.0236, .0005}},
    {128, {1.0562, .0002}}, {512, {1.0638, .0001}}, {4096, {1.0661, .00005}}};
constexpr int64_t kMostRepetitions = 2048;
constexpr int64_t kRowsInAll = int64_t{1} << 18;

/// I - (log N - L), from the paired difference to the class form, whose mean is exactly I.
Estimate infonce_gap(const VmfMixture& source, int64_t rows, int64_t repetitions,
                     torch::Generator& generator) {
  const auto means = source.class_means();
  const double temperature = source.optimal_temperature();
  const information::BoundOptions options{.temperature = temperature,
                                          .priors = {.num_classes = source.num_classes()}};
  const auto [gap] = repeat(repetitions, [&] {
    const auto batch = source.draw(rows, generator);
    return std::array{information::class_bound(batch, means, options).value -
                      log_rows_minus_class_loss(batch, means, temperature)};
  });
  return gap;
}

/// Least-squares slope of log gap against log N.
double log_slope(const std::vector<std::pair<double, double>>& points) {
  double x_mean = 0;
  double y_mean = 0;
  for (const auto& [rows, gap] : points) {
    x_mean += std::log(rows) / static_cast<double>(points.size());
    y_mean += std::log(gap) / static_cast<double>(points.size());
  }
  double covariance = 0;
  double variance = 0;
  for (const auto& [rows, gap] : points) {
    covariance += (std::log(rows) - x_mean) * (std::log(gap) - y_mean);
    variance += std::pow(std::log(rows) - x_mean, 2);
  }
  return covariance / variance;
}

/// E[sum_c p(c|z)^2 / p(c) - 1] / 2, the limit of N (I - value).
double gap_constant(const VmfMixture& source) {
  const auto posterior = source.posterior(sphere_rule().points);
  const auto chi2 = (posterior * posterior).sum(1) * double(source.num_classes()) - 1;
  return source.expectation(chi2.unsqueeze(1).expand_as(posterior)) / 2;
}

}  // namespace

TheoryResult infonce_convergence(const TheoryOptions& options) {
  const VmfMixture source(6, 4);
  auto generator = experiment_generator(options.seed + 101);
  TheoryResult result{
      .id = "T1",
      .title = "InfoNCE converges to the information",
      .summary =
          "log N - L of InfoNCE with the true class means and the optimal temperature, on "
          "vMF(6, 4). It must stay below I(Z;C), and the gap must shrink as 1/N."};
  Claims claims;
  TheoryTable table{.caption = "InfoNCE by batch size",
                    .header = {"N", "log N - L", "I - value", "N (I - value)"}};
  report::ChartSeries series{.name = "log N - L", .points = {}};
  std::vector<std::pair<double, double>> tail;
  const double limit = gap_constant(source);
  for (const auto& [rows, reference] : kConvergence) {
    if (rows > 128 && !options.full()) continue;
    const auto count = options.scaled(std::clamp<int64_t>(kRowsInAll / rows, 64, kMostRepetitions));
    const auto gap = infonce_gap(source, rows, count, generator);
    const Estimate value{source.information() - gap.mean, gap.se};
    const auto size = static_cast<double>(rows);
    claims.at_most(fmt::format("log N - L at N = {}", rows), value, {source.information()});
    claims.agrees(fmt::format("log N - L at N = {}", rows), value, reference, 0.00005);
    if (rows >= 32) tail.emplace_back(size, gap.mean);
    const Estimate scaled_gap{size * gap.mean, size * gap.se};
    if (rows == 4096) {
      claims.agrees("N (I - value) at N = 4096", scaled_gap, {limit}, 0.01);
    }
    table.rows.push_back(
        {std::to_string(rows), to_text(value, 4), to_text(gap, 5), to_text(scaled_gap, 3)});
    series.points.push_back(chart_point(size, value));
  }
  const double slope = log_slope(tail);
  claims.equals("slope of log(I - value) against log N, N >= 32", slope, -1,
                options.full() ? 0.1 : 0.3);
  claims.equals("limit of N (I - value) by quadrature", limit, 1.3514, 5e-5);
  table.rows.push_back(
      {"limit", fmt::format("{:.4f}", source.information()), "", fmt::format("{:.4f}", limit)});
  result.tables = {table};
  result.chart = {
      .title = "InfoNCE converges to I(Z;C)",
      .subtitle = fmt::format("vMF(6, 4), optimal critic; slope of the gap {:.2f}", slope),
      .x = {.title = "batch size N", .log = true},
      .y = {.title = "nats"},
      .series = {series},
      .reference_lines = {{"I(Z;C)", source.information()}}};
  result.claims = claims.all();
  return result;
}

}  // namespace projnce::theory
