#include "projnce/loss/symnce.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/loss/mean_positive_score.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/sum_of_transform.h"

namespace projnce::loss {

namespace {

void check_options(const SymnceOptions& options) {
  check_positive(options.temperature, "symnce", "temperature");
  if (!std::isfinite(options.beta)) fail("symnce: beta = ", options.beta, " must be finite");
}

/// F(P, Q) = logsumexp - positive, both [N].
struct InfoNCEPair {
  torch::Tensor positive;
  torch::Tensor logsumexp;
};

struct Counts {
  torch::Tensor positives;  // [N], at least 1 to divide by
  torch::Tensor negatives;
};

Counts counts_of(const GroupedBatch& rows) {
  const auto type = rows.anchors.scalar_type();
  return {(rows.class_size - 1).clamp_min(1).to(type),
          rows.remaining(Exclude::kSameClass).clamp_min(1).to(type)};
}

/// Mean score with the rows of other classes, [N]: linear, so computed from class sums in O(N D).
torch::Tensor mean_negative_score(const GroupedBatch& rows, const torch::Tensor& count,
                                  double temperature) {
  const auto sums = projection::class_sums(rows.candidates.groups, rows.candidates.rows);  // [K, D]
  const auto others = sums.sum(/*dim=*/0) - sums.index_select(0, rows.anchor_class);       // [N, D]
  return (rows.anchors * others).sum(/*dim=*/1) / (count * temperature);
}

struct BothWays {
  InfoNCEPair forward;  // F(P, Q)
  InfoNCEPair reverse;  // F(Q, P)
};

BothWays both_ways(const GroupedBatch& rows, const SymnceOptions& options) {
  const auto t = options.temperature;
  const auto& z = rows.candidates.rows;
  const auto counts = counts_of(rows);
  if (options.form == SymnceForm::kLin) {  // -log mean_P e^s + log sum_{P u Q} e^s
    const auto [positives, negatives] = split_logsumexp(rows, z, t);
    const auto all = torch::logaddexp(positives, negatives);  // valid anchors have both
    return {{positives - counts.positives.log(), all}, {negatives - counts.negatives.log(), all}};
  }
  const auto mean_positive = mean_positive_score(rows, t, {});
  const auto mean_negative = mean_negative_score(rows, counts.negatives, t);
  if (options.form == SymnceForm::kLout) {  // -mean_P s + log sum_{P u Q} e^s
    const auto all = pairwise_logsumexp(rows, z, t, Exclude::kSelf);
    return {{mean_positive, all}, {mean_negative, all}};
  }
  // mean_{p in P} ( -s_p + log( e^{s_p} + sum_Q e^s ) )
  const auto [positives, negatives] = split_logsumexp(rows, z, t);
  return {{mean_positive, mean_of_transform(rows, t, {.negatives = false}, negatives)},
          {mean_negative, mean_of_transform(rows, t, {.negatives = true}, positives)}};
}

}  // namespace

LossValue symnce(const ContrastiveBatch& batch, const SymnceOptions& options) {
  check_options(options);
  const auto rows = validate_batch(batch, GroupBy::kClass, "symnce");
  const auto& counts = rows.candidates.groups.counts;
  const auto valid = (counts > 1) & (counts < rows.num_candidates());

  // l_i = F(P, Q) - beta F(Q, P)
  const auto [forward, reverse] = both_ways(rows, options);
  auto value = alignment_uniformity(rows, forward.positive, forward.logsumexp, valid,
                                    options.empty_positives);
  const auto reversed =
      reduce_anchors(rows, reverse.logsumexp - reverse.positive, valid, options.empty_positives);
  value.loss = value.loss - options.beta * reversed;
  if (rows.with_parts) value.parts.emplace_back("reverse", reversed.detach());
  return value;
}

SymnceLoss::SymnceLoss(const SymnceOptions& options) : options_(options) {
  check_options(options);
}

LossValue SymnceLoss::evaluate(const ContrastiveBatch& batch) {
  return symnce(batch, options_);
}

}  // namespace projnce::loss
