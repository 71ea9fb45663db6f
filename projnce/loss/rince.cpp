#include "projnce/loss/rince.h"

#include <cmath>
#include <limits>

#include "projnce/core/error.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/sum_of_transform.h"

namespace projnce::loss {

namespace {

std::string name_of(GroupBy group_by) {
  return group_by == GroupBy::kClass ? "rince" : "rince-self";
}

void check_options(const RinceOptions& options, const std::string& name) {
  check_positive(options.temperature, name, "temperature");
  check_positive(options.q, name, "q");
  check_positive(options.lambda_, name, "lambda_");
  if (options.q > 1) fail(name, ": q = ", options.q, " must be at most 1");
  if (options.lambda_ > 1) fail(name, ": lambda_ = ", options.lambda_, " must be at most 1");
}

constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

/// mean_p ((lambda S_ip)^q - 1) / q, [N], with log S_ip = log sum_{j != i} e^{s_ij} for kAll and
/// log(e^{s_ip} + sum_{negatives} e^{s_ij}) for kOnePos.
torch::Tensor denominator_power(const GroupedBatch& rows, const RinceOptions& options) {
  const auto t = options.temperature;
  const auto& z = rows.candidates.rows;
  const auto log_lam = std::log(options.lambda_);
  if (options.denominator == RinceDenominator::kAll) {
    const auto log_sum = pairwise_logsumexp(rows, z, t, Exclude::kSelf);
    return (options.q * (log_sum + log_lam)).expm1() / options.q;
  }
  const auto none = rows.remaining(Exclude::kSameClass) == 0;
  const auto negatives = split_logsumexp(rows, z, t).negatives.masked_fill(none, kMinusInf);
  return mean_of_transform(rows, t, {.q = options.q, .shift = log_lam}, negatives);
}

}  // namespace

LossValue rince(const ContrastiveBatch& batch, const RinceOptions& options, GroupBy group_by) {
  const auto name = name_of(group_by);
  check_options(options, name);
  const auto rows = validate_batch(batch, group_by, name);
  // l_i = mean_{p in P(i)} ( -(e^{q s_ip} - 1) + ((lambda S_ip)^q - 1) ) / q
  const auto no_offset = torch::full({rows.num_anchors()}, kMinusInf, rows.anchors.options());
  const auto positive = mean_of_transform(rows, options.temperature, {.q = options.q}, no_offset);
  const auto denominator = denominator_power(rows, options);
  return alignment_uniformity(rows, positive, denominator, rows.candidates.groups.counts > 1,
                              options.empty_positives);
}

RinceLoss::RinceLoss(const RinceOptions& options, GroupBy group_by)
    : options_(options), group_by_(group_by) {
  check_options(options, name_of(group_by));
}

LossValue RinceLoss::evaluate(const ContrastiveBatch& batch) {
  return rince(batch, options_, group_by_);
}

}  // namespace projnce::loss
