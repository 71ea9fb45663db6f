#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "projnce/theory/experiment.h"
#include "projnce/theory/sources.h"

namespace projnce::theory {

namespace {

constexpr double kExactDigits = 5e-7;         // references have six decimals
constexpr double kEnumerationDigits = 5e-13;  // references have twelve

std::string exact_text(double value) {
  return fmt::format("{:.9f}", value);
}

/// Class form of class vectors [M, 3], by quadrature.
double exact_class_form(const VmfMixture& source, const torch::Tensor& vectors,
                        double temperature) {
  const auto& points = sphere_rule().points;
  const information::BoundOptions options{.temperature = temperature,
                                          .priors = {.num_classes = source.num_classes()}};
  std::vector<torch::Tensor> by_class;
  for (int64_t c = 0; c < source.num_classes(); ++c) {
    const auto labels = torch::full({points.size(0)}, c, torch::kInt64);
    by_class.push_back(information::class_bound({points, labels}, vectors, options).terms);
  }
  return source.expectation(torch::stack(by_class, 1));
}

/// Rodrigues' rotation of rows about (1, 2, 3).
torch::Tensor rotated(const torch::Tensor& rows, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const auto axis =
      (torch::tensor({1.0, 2.0, 3.0}, torch::kFloat64) / std::sqrt(14.0)).expand_as(rows);
  const auto along = (axis * rows).sum(1, true) * axis;
  return along + std::cos(angle) * (rows - along) +
         std::sin(angle) * torch::cross(axis, rows, /*dim=*/1);
}

struct ReferencePoint {
  double at;
  double value;
};

report::ChartSeries temperature_curve(const VmfMixture& source, Claims& claims,
                                      TheoryTable& table) {
  constexpr ReferencePoint kReference[] = {{-3, -1.374024}, {-2, 0.154876}, {-1, 0.859042},
                                           {0, 1.066434},   {1, 0.901831},  {2, 0.588842},
                                           {3, 0.333984}};
  report::ChartSeries series{.name = "class form, exact", .points = {}, .dashed = true};
  for (const auto& [power, expected] : kReference) {
    const double temperature = source.optimal_temperature() * std::exp2(power);
    const double value = exact_class_form(source, source.class_means(), temperature);
    claims.equals(fmt::format("class form at 2^{} times the optimal temperature", power), value,
                  expected, kExactDigits);
    if (power != 0) {
      claims.at_most(fmt::format("class form at 2^{} times the optimal temperature", power),
                     {value}, {source.information()});
    }
    table.rows.push_back({fmt::format("class means, temperature {:.4f}", temperature),
                          fmt::format("{:.6f}", value)});
    series.points.push_back({.x = temperature, .y = value});
  }
  const double usual = exact_class_form(source, source.class_means(), 0.07);
  claims.equals("class form at temperature 0.07", usual, 0.633537, kExactDigits);
  table.rows.push_back({"class means, temperature 0.07", fmt::format("{:.6f}", usual)});
  return series;
}

void add_rotations(const VmfMixture& source, Claims& claims, TheoryTable& table) {
  constexpr ReferencePoint kReference[] = {{0, 1.066434},  {10, 1.039153}, {20, 0.957251},
                                           {30, 0.820889}, {45, 0.517520}, {60, 0.108801},
                                           {90, -0.901577}};
  for (const auto& [degrees, expected] : kReference) {
    const double value = exact_class_form(source, rotated(source.class_means(), degrees),
                                          source.optimal_temperature());
    claims.equals(fmt::format("class vectors rotated by {} degrees", degrees), value, expected,
                  kExactDigits);
    if (degrees > 0) {
      claims.at_most(fmt::format("class vectors rotated by {} degrees", degrees), {value},
                     {source.information()});
    }
    table.rows.push_back(
        {fmt::format("class means rotated by {}°", degrees), fmt::format("{:.6f}", value)});
  }
}

/// Class forms of drawn rows, whose means are the exact values.
report::ChartSeries simulated_curve(const VmfMixture& source, const TheoryOptions& options,
                                    Claims& claims) {
  auto generator = experiment_generator(options.seed + 102);
  const auto rows = source.draw(options.scaled(20000, 2000), generator);
  report::ChartSeries series{.name = "class form, drawn rows", .points = {}, .line = false};
  for (const double temperature : {source.optimal_temperature(), 0.07}) {
    const auto bound = information::class_bound(
        rows, source.class_means(),
        {.temperature = temperature, .priors = {.num_classes = source.num_classes()}});
    const double exact = exact_class_form(source, source.class_means(), temperature);
    claims.agrees(fmt::format("class form of drawn rows at temperature {:.4f}", temperature),
                  {bound.value, *bound.se}, {exact});
    series.points.insert(
        series.points.begin(),
        report::ChartPoint{.x = temperature, .y = bound.value, .error = *bound.se});
  }
  return series;
}

/// E[log N - L] of InfoNCE with log ratios `scores` [3, 2] on the finite source, by enumeration.
double exact_finite_infonce(const FiniteSource& source, const torch::Tensor& scores, int64_t rows) {
  const double share = source.class_priors()[0].item<double>();
  double value = 0;
  // A row x is a one-hot vector, and class vectors are columns of scores.
  const auto points = torch::eye(3, torch::kFloat64);
  for (int64_t own = 0; own < 2; ++own) {
    const auto labels = torch::full({3}, own, torch::kInt64);
    for (int64_t others = 0; others < rows; ++others) {  // other rows of class 0
      const double zeros = static_cast<double>(others + (own == 0 ? 1 : 0));
      const auto counts = torch::tensor({zeros, static_cast<double>(rows) - zeros});
      const double probability =
          std::exp(std::lgamma(double(rows)) - std::lgamma(double(others) + 1) -
                   std::lgamma(double(rows - others)) + double(others) * std::log(share) +
                   double(rows - 1 - others) * std::log(1 - share));
      // With frequencies of the batch as priors, the class form is InfoNCE.
      const auto terms =
          information::class_bound(
              {points, labels}, scores.t().contiguous(),
              {.temperature = 1,
               .priors = {.num_classes = 2, .values = counts.to(torch::kFloat64) / double(rows)}})
              .terms;
      value += probability * (source.joint.select(1, own) * terms).sum().item<double>();
    }
  }
  return value;
}

void add_finite_infonce(Claims& claims, TheoryTable& table) {
  constexpr ReferencePoint kReference[] = {{2, 0.104186256310},
                                           {4, 0.158957885734},
                                           {8, 0.185292722863},
                                           {16, 0.197898766983},
                                           {64, 0.207088697336}};
  const FiniteSource source;
  claims.equals("information of the finite source", source.information(), 0.210103140423,
                kEnumerationDigits);
  const auto shift = torch::tensor({0.7, -1.3, 2.1}, torch::kFloat64).unsqueeze(1);
  for (const auto& [rows, expected] : kReference) {
    const auto size = static_cast<int64_t>(rows);
    const double value = exact_finite_infonce(source, source.log_ratio(), size);
    claims.equals(fmt::format("exact InfoNCE of the finite source, N = {}", size), value, expected,
                  kEnumerationDigits);
    claims.equals(fmt::format("a factor e^a(x) changes nothing, N = {}", size),
                  exact_finite_infonce(source, source.log_ratio() + shift, size), value, 1e-12);
    table.rows.push_back({fmt::format("InfoNCE, N = {}", size), exact_text(value)});
  }
}

/// Expectations over all 6^N batches of the finite source.
struct FiniteBatchValues {
  double pair = 0;
  double normalized = 0;
  double paper = 0;  // the paper's formula
};

/// Calls `visit` with all ways to draw `rows` times from 6 outcomes, as ascending lists, and the
/// number of orders that each stands for.
void for_each_multiset(int64_t rows,
                       const std::function<void(const std::vector<int64_t>&, double)>& visit) {
  std::vector<int64_t> outcomes(static_cast<size_t>(rows), 0);
  while (true) {
    double orders = std::tgamma(static_cast<double>(rows) + 1);
    for (int64_t outcome = 0; outcome < 6; ++outcome) {
      const auto count = std::count(outcomes.begin(), outcomes.end(), outcome);
      orders /= std::tgamma(static_cast<double>(count) + 1);
    }
    visit(outcomes, orders);
    auto last = outcomes.rbegin();
    while (last != outcomes.rend() && *last == 5) ++last;
    if (last == outcomes.rend()) return;
    std::fill(outcomes.rbegin(), last + 1, *last + 1);
  }
}

/// z is at 0, 100 and 220 degrees on the circle. No value depends on the order of the rows.
FiniteBatchValues exact_finite_batches(const FiniteSource& source, int64_t rows) {
  std::vector<double> points;
  for (const double degrees : {0.0, 100.0, 220.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    points.insert(points.end(), {std::cos(angle), std::sin(angle)});
  }
  const auto circle = torch::tensor(points, torch::kFloat64).view({3, 2});
  const auto probabilities = source.joint.flatten();
  FiniteBatchValues result;
  for_each_multiset(rows, [&](const std::vector<int64_t>& outcomes, double orders) {
    const auto outcome = torch::tensor(outcomes);
    const information::LabeledRows batch{circle.index_select(0, outcome.div(2, "floor")),
                                         outcome.remainder(2)};
    const double probability =
        orders * probabilities.index_select(0, outcome).prod().item<double>();
    const auto bound = information::pair_bound(
        batch, {.temperature = 1,
                .priors = {.num_classes = 2, .values = source.class_priors()},
                .batches = 1});
    result.pair += probability * bound.value;
    result.normalized += probability * bound.normalized;
    result.paper += probability * paper_value(batch, 1);
  });
  return result;
}

void add_finite_batches(Claims& claims, TheoryTable& table) {
  struct Expected {
    int64_t rows;
    FiniteBatchValues values;
  };
  constexpr Expected kReference[] = {{3, {0.027525388834, 0.029463557233, 0.797}},
                                     {4, {0.047107413620, 0.064571427717, 0.620}},
                                     {5, {0.063662964855, 0.089078377358, 0.518}}};
  const FiniteSource source;
  for (const auto& [rows, expected] : kReference) {
    const auto values = exact_finite_batches(source, rows);
    const auto of_batches = fmt::format(", mean over all batches, N = {}", rows);
    claims.equals("pair form" + of_batches, values.pair, expected.pair, kEnumerationDigits);
    claims.equals("normalized pair form" + of_batches, values.normalized, expected.normalized,
                  kEnumerationDigits);
    claims.equals("paper's formula" + of_batches, values.paper, expected.paper, 5e-4);
    claims.at_most("normalized pair form" + of_batches, {values.normalized},
                   {source.information()});
    claims.exceeds("the paper's formula exceeds I" + of_batches, {values.paper},
                   source.information());
    table.rows.push_back({fmt::format("pair form, N = {}", rows), exact_text(values.pair)});
    table.rows.push_back(
        {fmt::format("normalized pair form, N = {}", rows), exact_text(values.normalized)});
    table.rows.push_back({fmt::format("paper's formula, N = {}", rows), exact_text(values.paper)});
  }
}

}  // namespace

TheoryResult optimal_critic(const TheoryOptions& options) {
  const VmfMixture source(6, 4);
  Claims claims;
  TheoryTable sphere{.caption = fmt::format("class form on vMF(6, 4) by quadrature, I = {:.6f}",
                                            source.information()),
                     .header = {"class vectors", "nats"}};
  const auto curve = temperature_curve(source, claims, sphere);
  add_rotations(source, claims, sphere);
  TheoryTable finite{.caption = fmt::format("finite source by enumeration, I = {:.9f}",
                                            FiniteSource().information()),
                     .header = {"value", "nats"}};
  add_finite_infonce(claims, finite);
  add_finite_batches(claims, finite);
  const auto drawn = simulated_curve(source, options, claims);
  return {.id = "T2",
          .title = "The optimal critic reaches the information",
          .summary =
              "The class form is largest, and equal to I(Z;C), for class means at the optimal "
              "temperature. At other temperatures and for other class vectors it is lower, "
              "never higher.",
          .tables = {sphere, finite},
          .chart = {.title = "Class form by temperature",
                    .subtitle = "vMF(6, 4), true class means",
                    .x = {.title = "temperature", .log = true},
                    .y = {.title = "nats"},
                    .series = {curve, drawn},
                    .reference_lines = {{"I(Z;C)", source.information()}}},
          .claims = claims.all()};
}

}  // namespace projnce::theory
