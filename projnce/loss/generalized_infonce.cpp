#include "projnce/loss/generalized_infonce.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"

namespace projnce {

namespace {

void check_options(const GeneralizedInfoNCEOptions& options) {
  check_positive(options.temperature, "selfp", "temperature");
  if (!std::isfinite(options.beta)) fail("selfp: beta = ", options.beta, " must be finite");
  if (options.denominator == Exclude::kSameClass) {
    fail("selfp: the denominator excludes nothing or the anchor, never a class");
  }
}

}  // namespace

InfoNCETerms generalized_infonce(const GroupedBatch& batch, const Projected& pos,
                                 const Projected& neg, const GeneralizedInfoNCEOptions& options) {
  check_options(options);
  const auto rows = check_projected(check_projected(batch, pos, "selfp: the positive projection"),
                                    neg, "selfp: the negative projection");
  const ProjectedScores pos_scores(rows, pos, options.temperature);
  const ProjectedScores neg_scores(rows, neg, options.temperature);

  // self-p = sum_i w_i ( -z_i.g+_i/t + log sum_k e^{z_i.g-_k/t} )
  const SelfPTerm term{.positive = pos_scores.positive(),
                       .logsumexp = neg_scores.logsumexp(options.denominator),
                       .valid_class = valid_classes(rows, pos.has_positive, options.denominator),
                       .denominator = options.denominator,
                       .empty_pos = options.empty_pos};
  auto terms = self_p(rows, term);
  if (!needs_ratio(rows, options.beta)) return terms;

  // R_i = sum_k e^{z_i.g+_k/t} / sum_k e^{z_i.g-_k/t}
  const torch::AutoGradMode with_gradient(torch::GradMode::is_enabled() && options.beta != 0);
  const auto below = options.r_exclude == options.denominator
                         ? term.logsumexp
                         : neg_scores.logsumexp(options.r_exclude);
  const auto above = pos_scores.logsumexp(options.r_exclude);
  add_ratio(rows, term, above, below, options.r_exclude, options.beta, terms);
  return terms;
}

torch::Tensor valid_classes(const GroupedBatch& batch, const torch::Tensor& has_positive,
                            Exclude denominator) {
  const auto valid =
      has_positive.defined() ? has_positive : batch.candidates.groups.counts > 0;  // [K]
  const bool alone = denominator == Exclude::kSelf && batch.num_candidates() == 1;
  return alone ? torch::zeros_like(valid) : valid;
}

InfoNCETerms self_p(const GroupedBatch& batch, const SelfPTerm& term) {
  const auto value =
      alignment_uniformity(batch, term.positive, term.logsumexp, term.valid_class, term.empty_pos);
  return {.value = value, .self_p = value.loss, .ratio = {}};
}

bool needs_ratio(const GroupedBatch& batch, double beta) {
  return beta != 0 || batch.with_parts;
}

void add_ratio(const GroupedBatch& batch, const SelfPTerm& term, const torch::Tensor& log_above,
               const torch::Tensor& log_below, Exclude r_exclude, double beta,
               InfoNCETerms& terms) {
  const auto log_ratio = log_above - log_below;
  const auto some = batch.remaining(r_exclude) > 0;  // [N]
  terms.ratio = torch::where(some, log_ratio.exp(), torch::zeros_like(log_ratio));
  // 0 times an overflowing R would be NaN.
  if (beta != 0) terms.value.loss = terms.self_p + beta * reduce(terms.ratio, batch.reduction);
  if (!batch.with_parts) return;
  const auto compared = batch.num_candidates() - (term.denominator == Exclude::kSelf ? 1 : 0);
  terms.value.parts.emplace_back("R", terms.ratio.detach().mean());
  terms.value.parts.emplace_back(
      "mi_bound", pair_mi_bound(batch, term.logsumexp - term.positive, term.valid_class,
                                terms.ratio, compared));
}

LossValue class_infonce(const GroupedBatch& batch, const torch::Tensor& positive,
                        const torch::Tensor& logsumexp, Exclude denominator) {
  const auto valid = valid_classes(batch, /*has_positive=*/{}, denominator);
  auto value = alignment_uniformity(batch, positive, logsumexp, valid, EmptyPositives::kZero);
  if (!batch.with_parts) return value;
  const auto log_rows = std::log(static_cast<double>(batch.num_candidates()));
  value.parts.emplace_back("mi_bound", log_rows - value.loss.detach());
  return value;
}

torch::Tensor pair_mi_bound(const GroupedBatch& batch, const torch::Tensor& per_anchor,
                            const torch::Tensor& valid_class, const torch::Tensor& ratio,
                            int64_t compared) {
  const auto self_p =
      weighted_sum(batch, per_anchor.detach(), valid_class, EmptyPositives::kSkip).detach();
  const auto constant = 1 + std::log(static_cast<double>(std::max<int64_t>(compared, 1)));
  const auto bound = constant - self_p - ratio.detach().mean();
  return torch::where(valid_class.any(), bound, torch::zeros_like(bound));
}

GeneralizedInfoNCELoss::GeneralizedInfoNCELoss(ProjectionPtr pos, ProjectionPtr neg,
                                               const GeneralizedInfoNCEOptions& options)
    : options_(options) {
  check_options(options);
  if (!pos || !neg) fail("selfp: both projections must be given");
  pos_ = register_module("projection_pos", std::move(pos));
  neg_ = pos_ == neg ? pos_ : register_module("projection_neg", std::move(neg));
}

LossValue GeneralizedInfoNCELoss::evaluate(const ContrastiveBatch& batch) {
  const auto rows = validate_batch(batch, GroupBy::kClass, "selfp");
  const auto pos = pos_->project(rows.candidates);
  const auto neg = pos_ == neg_ ? pos : neg_->project(rows.candidates);
  return generalized_infonce(rows, pos, neg, options_).value;
}

}  // namespace projnce
