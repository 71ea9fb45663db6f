#include "projnce/theory/experiment.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "projnce/loss/projnce.h"
#include "projnce/loss/projnce_mlp.h"
#include "projnce/loss/supcon.h"

namespace projnce::theory {

namespace {

constexpr double kStandardErrors = 4;
constexpr double kMargin = 0.001;  // nats
constexpr int kDigits = 4;

double allowed_excess(const Estimate& value, const Estimate& limit) {
  return kStandardErrors * std::hypot(value.se, limit.se) + kMargin;
}

}  // namespace

Estimate estimate_mean(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

std::string to_text(const Estimate& estimate, int digits) {
  if (estimate.se == 0) return fmt::format("{:.{}f}", estimate.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", estimate.mean, digits, estimate.se, digits);
}

report::ChartPoint chart_point(double x, const Estimate& estimate) {
  return {.x = x, .y = estimate.mean, .error = estimate.se};
}

void Claims::at_most(const std::string& what, const Estimate& value, const Estimate& limit) {
  add(fmt::format("{}: {} <= {}", what, to_text(value, kDigits), to_text(limit, kDigits)),
      value.mean <= limit.mean + allowed_excess(value, limit));
}

void Claims::at_least(const std::string& what, const Estimate& value, const Estimate& limit) {
  add(fmt::format("{}: {} >= {}", what, to_text(value, kDigits), to_text(limit, kDigits)),
      value.mean >= limit.mean - allowed_excess(value, limit));
}

void Claims::exceeds(const std::string& what, const Estimate& value, double limit) {
  add(fmt::format("{}: {} > {:.{}f}", what, to_text(value, kDigits), limit, kDigits),
      value.mean - kStandardErrors * value.se > limit);
}

void Claims::agrees(const std::string& what, const Estimate& value, const Estimate& reference,
                    double rounding) {
  add(fmt::format("{}: {} agrees with the reference {}", what, to_text(value, kDigits),
                  to_text(reference, kDigits)),
      std::abs(value.mean - reference.mean) <=
          kStandardErrors * std::hypot(value.se, reference.se) + rounding);
}

void Claims::equals(const std::string& what, double value, double expected, double tolerance) {
  add(fmt::format("{}: {:.12g} = {:.12g} within {:.1g}", what, value, expected, tolerance),
      std::abs(value - expected) <= tolerance);
}

int64_t TheoryResult::violated() const {
  return std::count_if(claims.begin(), claims.end(),
                       [](const Claim& claim) { return !claim.holds; });
}

namespace {

double log_of(int64_t count) {
  return std::log(static_cast<double>(count));
}

loss::ContrastiveBatch batch_of(const information::LabeledRows& rows) {
  auto batch = loss::make_batch(rows.embeddings, rows.labels);
  batch.with_parts = false;
  return batch;
}

}  // namespace

information::BoundResult batch_pair_bound(const information::LabeledRows& rows, int64_t num_classes,
                                          double temperature) {
  return information::pair_bound(
      rows, {.temperature = temperature, .priors = {.num_classes = num_classes}, .batches = 1});
}

double log_rows_minus_supcon(const information::LabeledRows& rows, double temperature) {
  const auto value = loss::supcon(
      batch_of(rows), {.temperature = temperature, .empty_positives = loss::EmptyPositives::kSkip});
  return log_of(rows.labels.size(0) - 1) - value.loss.item<double>();
}

double paper_value(const information::LabeledRows& rows, double temperature) {
  auto options = loss::projnce_preset(loss::ProjncePreset::kPaper);
  options.temperature = temperature;
  const auto terms = loss::projnce_terms(batch_of(rows), options);
  return 1 + log_of(rows.labels.size(0)) - terms.self_p.item<double>() -
         terms.ratio.mean().item<double>();
}

LeaveRowOutValue leave_row_out_value(const information::LabeledRows& rows, double temperature) {
  const auto terms = loss::projnce_terms(
      batch_of(rows), {.temperature = temperature, .empty_positives = loss::EmptyPositives::kSkip});
  const double ratio = terms.ratio.mean().item<double>();
  return {1 + log_of(rows.labels.size(0) - 1) - terms.self_p.item<double>() - ratio, ratio};
}

double log_rows_minus_class_loss(const information::LabeledRows& rows,
                                 const torch::Tensor& class_vectors, double temperature) {
  const auto value = loss::projnce_mlp(batch_of(rows), class_vectors,
                                       {.temperature = temperature, .normalize_g = false});
  return log_of(rows.labels.size(0)) - value.loss.item<double>();
}

}  // namespace projnce::theory
