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

/// mean over the marked pairs of expm1(q x) / q, [N]; what is not marked must not overflow either.
torch::Tensor mean_power(const torch::Tensor& x, const torch::Tensor& mask,
                         const torch::Tensor& count, double q) {
  return (q * x.masked_fill(~mask, 0)).expm1().sum(/*dim=*/1) / (q * count);
}

/// log(lam S_ip) term of each anchor, averaged over its positives, [N].
torch::Tensor denominator_power(const ContrastRows& rows, const PairScores& scores,
                                const torch::Tensor& positive, const torch::Tensor& count,
                                const RinceOptions& options) {
  const auto log_lam = std::log(options.lam);
  if (options.denominator == RinceDenominator::kAll) {
    return (options.q * (scores.log_mass(Among::kOthers) + log_lam)).expm1() / options.q;
  }
  const auto none = rows.remaining(Leave::kOwnClass) == 0;
  const auto negatives = scores.log_mass(Among::kNegatives)
                             .masked_fill(none, -std::numeric_limits<double>::infinity());
  const auto mass = torch::logaddexp(scores.values(), negatives.unsqueeze(1));  // [N, M]
  return mean_power(mass + log_lam, positive, count, options.q);
}

}  // namespace

LossValue rince(const ContrastiveBatch& batch, const RinceOptions& options, GroupBy group_by) {
  const auto name = name_of(group_by);
  check_options(options, name);
  const auto rows = contrast_rows(batch, group_by, name);
  const PairScores scores(rows, rows.candidates.rows, options.temperature);
  const auto positive = scores.mask(Among::kPositives);                                 // [N, M]
  const auto count = (rows.own_count - 1).clamp_min(1).to(rows.anchors.scalar_type());  // [N]

  const auto pull = mean_power(scores.values(), positive, count, options.q);    // [N]
  const auto push = denominator_power(rows, scores, positive, count, options);  // [N]
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
