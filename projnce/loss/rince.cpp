#include "projnce/loss/rince.h"

#include <cmath>
#include <limits>

#include "projnce/core/error.h"
#include "projnce/loss/pair_scores.h"

namespace projnce {

namespace {

std::string name_of(GroupBy group_by) {
  return group_by == GroupBy::kClass ? "rince" : "rince-self";
}

void check_options(const RinceOptions& options, const std::string& name) {
  check_positive(options.temperature, name, "temperature");
  check_positive(options.q, name, "q");
  check_positive(options.lam, name, "lam");
  if (options.q > 1) fail(name, ": q = ", options.q, " must be at most 1");
  if (options.lam > 1) fail(name, ": lam = ", options.lam, " must be at most 1");
}

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// ((lam S_ip)^q - 1) / q of each anchor, averaged over its positives, [N].
torch::Tensor denominator_power(const ContrastRows& rows, const PairScores& scores,
                                const RinceOptions& options) {
  const auto log_lam = std::log(options.lam);
  if (options.denominator == RinceDenominator::kAll) {
    return (options.q * (scores.others_mass() + log_lam)).expm1() / options.q;
  }
  const auto none = rows.remaining(Leave::kOwnClass) == 0;
  const auto negatives = scores.split_mass().negatives.masked_fill(none, kNothing);
  return scores.mean_curve({.q = options.q, .shift = log_lam}, negatives);
}

}  // namespace

LossValue rince(const ContrastiveBatch& batch, const RinceOptions& options, GroupBy group_by) {
  const auto name = name_of(group_by);
  check_options(options, name);
  const auto rows = contrast_rows(batch, group_by, name);
  const PairScores scores(rows, rows.candidates.rows, options.temperature);
  const auto alone = torch::full({rows.num_anchors()}, kNothing, rows.anchors.options());

  const auto pull = scores.mean_curve({.q = options.q}, alone);  // (e^{q s_ip} - 1) / q
  const auto push = denominator_power(rows, scores, options);
  return pull_and_push(rows, pull, push, rows.candidates.groups.counts > 1, options.empty_pos);
}

RinceLoss::RinceLoss(const RinceOptions& options, GroupBy group_by)
    : options_(options), group_by_(group_by) {
  check_options(options, name_of(group_by));
}

LossValue RinceLoss::evaluate(const ContrastiveBatch& batch) {
  return rince(batch, options_, group_by_);
}

}  // namespace projnce
