#include "projnce/loss/symnce.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/loss/pair_scores.h"
#include "projnce/loss/positive_score.h"

namespace projnce {

namespace {

void check_options(const SymnceOptions& options) {
  check_positive(options.temperature, "symnce", "temperature");
  if (!std::isfinite(options.beta)) fail("symnce: beta = ", options.beta, " must be finite");
}

/// F(P, Q) = push - pull, each [N].
struct Infonce {
  torch::Tensor pull;
  torch::Tensor push;
};

struct Counts {
  torch::Tensor positives;  // [N], at least 1 to divide by
  torch::Tensor negatives;
};

Counts counts_of(const ContrastRows& rows) {
  const auto type = rows.anchors.scalar_type();
  return {(rows.own_count - 1).clamp_min(1).to(type),
          rows.remaining(Leave::kOwnClass).clamp_min(1).to(type)};
}

/// Mean score with the other classes, [N]: linear, so through sums in O(N D).
torch::Tensor mean_negative_score(const ContrastRows& rows, const torch::Tensor& count,
                                  double temperature) {
  const auto sums = class_sums(rows.candidates.groups, rows.candidates.rows);         // [K, D]
  const auto others = sums.sum(/*dim=*/0) - sums.index_select(0, rows.anchor_class);  // [N, D]
  return (rows.anchors * others).sum(/*dim=*/1) / (count * temperature);
}

struct BothWays {
  Infonce forward;  // F(P, Q)
  Infonce reverse;  // F(Q, P)
};

BothWays both_ways(const ContrastRows& rows, const SymnceOptions& options) {
  const PairScores scores(rows, rows.candidates.rows, options.temperature);
  const auto counts = counts_of(rows);
  if (options.form == SymnceForm::kLin) {
    const auto [positives, negatives] = scores.split_mass();
    const auto all = torch::logaddexp(positives, negatives);  // valid anchors have both
    return {{positives - counts.positives.log(), all}, {negatives - counts.negatives.log(), all}};
  }
  const auto mean_positive = mean_positive_score(rows, options.temperature, {});
  const auto mean_negative = mean_negative_score(rows, counts.negatives, options.temperature);
  if (options.form == SymnceForm::kLout) {
    const auto all = scores.others_mass();
    return {{mean_positive, all}, {mean_negative, all}};
  }
  // Pairwise: each positive against all negatives, and each negative against all positives.
  const auto [positives, negatives] = scores.split_mass();
  return {{mean_positive, scores.mean_curve({.negatives = false}, negatives)},
          {mean_negative, scores.mean_curve({.negatives = true}, positives)}};
}

}  // namespace

LossValue symnce(const ContrastiveBatch& batch, const SymnceOptions& options) {
  check_options(options);
  const auto rows = contrast_rows(batch, GroupBy::kClass, "symnce");
  const auto [forward, reverse] = both_ways(rows, options);
  const auto& counts = rows.candidates.groups.counts;
  const auto valid = (counts > 1) & (counts < rows.num_candidates());
  auto value = pull_and_push(rows, forward.pull, forward.push, valid, options.empty_pos);
  const auto backwards =
      reduce_anchors(rows, reverse.push - reverse.pull, valid, options.empty_pos);
  value.loss = value.loss - options.beta * backwards;
  if (rows.with_parts) value.parts.emplace_back("reverse", backwards.detach());
  return value;
}

SymnceLoss::SymnceLoss(const SymnceOptions& options) : options_(options) {
  check_options(options);
}

LossValue SymnceLoss::evaluate(const ContrastiveBatch& batch) {
  return symnce(batch, options_);
}

}  // namespace projnce
