#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "projnce/theory/batch_values.h"
#include "projnce/theory/experiments.h"
#include "projnce/theory/sources.h"
#include "projnce/theory/sphere_rule.h"

namespace projnce {

namespace {

constexpr double kExactDigits = 5e-7;  // references have six decimals

/// Class form of class vectors [M, 3], by quadrature.
double exact_class_form(const VmfMixture& source, const torch::Tensor& vectors,
                        double temperature) {
  const auto& points = sphere_rule().points;
  const BoundOptions options{.temperature = temperature,
                             .priors = {.num_classes = source.num_classes()}};
  std::vector<torch::Tensor> by_class;
  for (int64_t c = 0; c < source.num_classes(); ++c) {
    const auto labels = torch::full({points.size(0)}, c, torch::kInt64);
    by_class.push_back(class_bound({points, labels}, vectors, options).terms);
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

ChartSeries temperature_curve(const VmfMixture& source, Claims& claims, TheoryTable& table) {
  constexpr ReferencePoint kReference[] = {{-3, -1.374024}, {-2, 0.154876}, {-1, 0.859042},
                                           {0, 1.066434},   {1, 0.901831},  {2, 0.588842},
                                           {3, 0.333984}};
  ChartSeries series{.name = "class form, exact", .points = {}, .dashed = true};
  for (const auto& [power, expected] : kReference) {
    const double temperature = source.optimal_temperature() * std::exp2(power);
    const double value = exact_class_form(source, source.class_means(), temperature);
    claims.equals(fmt::format("class form at 2^{} times the optimal temperature", power), value,
                  expected, kExactDigits);
    claims.at_most("class form at any temperature", {value, 0}, source.information());
    table.rows.push_back(
        {fmt::format("temperature {:.4f}", temperature), fmt::format("{:.6f}", value)});
    series.points.push_back({.x = temperature, .y = value});
  }
  const double usual = exact_class_form(source, source.class_means(), 0.07);
  claims.equals("class form at temperature 0.07", usual, 0.633537, kExactDigits);
  table.rows.push_back({"temperature 0.07", fmt::format("{:.6f}", usual)});
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
    table.rows.push_back({fmt::format("rotated by {}°", degrees), fmt::format("{:.6f}", value)});
  }
}

/// Class forms of drawn rows, whose means are the exact values.
ChartSeries simulated_curve(const VmfMixture& source, const TheoryOptions& options,
                            Claims& claims) {
  auto generator = experiment_generator(options.seed + 102);
  const auto rows = source.draw(options.scaled(20000, 2000), generator);
  ChartSeries series{.name = "class form, drawn rows", .points = {}, .line = false};
  for (const double temperature : {source.optimal_temperature(), 0.07}) {
    const auto bound =
        class_bound(rows, source.class_means(),
                    {.temperature = temperature, .priors = {.num_classes = source.num_classes()}});
    const double exact = exact_class_form(source, source.class_means(), temperature);
    claims.agrees(fmt::format("class form of drawn rows at temperature {:.4f}", temperature),
                  {bound.value, *bound.se}, {exact, 0});
    series.points.insert(series.points.begin(),
                         ChartPoint{.x = temperature, .y = bound.value, .error = *bound.se});
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
      const double chance =
          std::exp(std::lgamma(double(rows)) - std::lgamma(double(others) + 1) -
                   std::lgamma(double(rows - others)) + double(others) * std::log(share) +
                   double(rows - 1 - others) * std::log(1 - share));
      // With frequencies of the batch as priors, the class form is InfoNCE.
      const auto terms =
          class_bound(
              {points, labels}, scores.t().contiguous(),
              {.temperature = 1,
               .priors = {.num_classes = 2, .values = counts.to(torch::kFloat64) / double(rows)}})
              .terms;
      value += chance * (source.joint.select(1, own) * terms).sum().item<double>();
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
  claims.equals("information of the finite source", source.information(), 0.210103140423, 1e-12);
  const auto shift = torch::tensor({0.7, -1.3, 2.1}, torch::kFloat64).unsqueeze(1);
  for (const auto& [rows, expected] : kReference) {
    const auto size = static_cast<int64_t>(rows);
    const double value = exact_finite_infonce(source, source.log_ratio(), size);
    claims.equals(fmt::format("exact InfoNCE of the finite source, N = {}", size), value, expected,
                  1e-11);
    claims.equals(fmt::format("a factor e^a(x) changes nothing, N = {}", size),
                  exact_finite_infonce(source, source.log_ratio() + shift, size), value, 1e-12);
    table.rows.push_back({fmt::format("InfoNCE, N = {}", size), fmt::format("{:.9f}", value)});
  }
}

/// Expectations over all 6^N batches of the finite source.
struct FiniteBatchValues {
  double pair = 0;
  double normalized = 0;
  double letter = 0;
};

FiniteBatchValues exact_finite_batches(const FiniteSource& source, int64_t rows) {
  std::vector<double> points;
  for (const double degrees : {0.0, 100.0, 220.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    points.insert(points.end(), {std::cos(angle), std::sin(angle)});
  }
  const auto circle = torch::tensor(points, torch::kFloat64).view({3, 2});
  const auto chances = source.joint.flatten();
  const auto batches = static_cast<int64_t>(std::pow(6, rows));
  FiniteBatchValues result;
  for (int64_t code = 0; code < batches; ++code) {
    std::vector<int64_t> digits;
    for (int64_t rest = code, i = 0; i < rows; ++i, rest /= 6) digits.push_back(rest % 6);
    const auto outcome = torch::tensor(digits);
    const LabeledRows batch{circle.index_select(0, outcome.div(2, "floor")), outcome.remainder(2)};
    const double chance = chances.index_select(0, outcome).prod().item<double>();
    const auto bound =
        pair_bound(batch, {.temperature = 1,
                           .priors = {.num_classes = 2, .values = source.class_priors()},
                           .batches = 1});
    result.pair += chance * bound.value;
    result.normalized += chance * bound.normalized;
    result.letter += chance * letter_of_the_paper(batch, 1);
  }
  return result;
}

void add_finite_batches(const TheoryOptions& options, Claims& claims, TheoryTable& table) {
  struct Expected {
    int64_t rows;
    FiniteBatchValues values;
  };
  constexpr Expected kReference[] = {{3, {0.027525388834, 0.029463557233, 0.797}},
                                     {4, {0.047107413620, 0.064571427717, 0.620}},
                                     {5, {0.063662964855, 0.089078377358, 0.518}}};
  const FiniteSource source;
  for (const auto& [rows, expected] : kReference) {
    if (rows == 5 && options.effort < 1) continue;
    const auto values = exact_finite_batches(source, rows);
    const auto of_batches = fmt::format(" over all batches, N = {}", rows);
    claims.equals("pair form" + of_batches, values.pair, expected.pair, 1e-11);
    claims.equals("normalized pair form" + of_batches, values.normalized, expected.normalized,
                  1e-11);
    claims.equals("letter of the paper" + of_batches, values.letter, expected.letter, 5e-4);
    claims.at_least("the letter of the paper exceeds the information" + of_batches,
                    {values.letter, 0}, source.information());
    table.rows.push_back(
        {fmt::format("N = {}: pair, normalized, letter", rows),
         fmt::format("{:.9f}, {:.9f}, {:.3f}", values.pair, values.normalized, values.letter)});
  }
}

}  // namespace

TheoryResult optimal_critic(const TheoryOptions& options) {
  const VmfMixture source(6, 4);
  Claims claims;
  TheoryTable sphere{.caption = fmt::format("class form on vMF(6, 4) by quadrature, I = {:.6f}",
                                            source.information()),
                     .header = {"class means at", "nats"}};
  const auto curve = temperature_curve(source, claims, sphere);
  add_rotations(source, claims, sphere);
  TheoryTable finite{.caption = "finite source by enumeration, I = 0.210103140",
                     .header = {"value", "nats"}};
  add_finite_infonce(claims, finite);
  add_finite_batches(options, claims, finite);
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

}  // namespace projnce
