#include "projnce/loss/generalized_infonce.h"

#include <cmath>
#include <memory>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"
#include "projnce/projection/centroid.h"
#include "projnce/projection/sample.h"

namespace projnce::loss {

namespace {

void check_options(const GeneralizedInfoNCEOptions& options) {
  check_positive(options.temperature, "generalized-infonce", "temperature");
  if (!std::isfinite(options.beta))
    fail("generalized-infonce: beta = ", options.beta, " must be finite");
  if (options.denominator == Exclude::kSameClass) {
    fail("generalized-infonce: the denominator excludes nothing or the anchor, never a class");
  }
}

}  // namespace

InfoNCETerms generalized_infonce(const GroupedBatch& batch, const projection::Projected& pos,
                                 const projection::Projected& neg,
                                 const GeneralizedInfoNCEOptions& options) {
  check_options(options);
  const auto rows =
      check_projected(check_projected(batch, pos, "generalized-infonce: the positive projection"),
                      neg, "generalized-infonce: the negative projection");
  const bool unit = options.normalize_g;
  const ProjectedScores pos_scores(rows, unit ? normalize_vectors(pos) : pos, options.temperature);
  const ProjectedScores neg_scores(rows, unit ? normalize_vectors(neg) : neg, options.temperature);

  // self-p = sum_i w_i ( -z_i.g+_i/t + log sum_k e^{z_i.g-_k/t} )
  const SelfPTerm term{.positive = pos_scores.positive(),
                       .logsumexp = neg_scores.logsumexp(options.denominator),
                       .valid_class = valid_classes(rows, pos.has_positive, options.denominator),
                       .empty_positives = options.empty_positives};
  auto terms = self_p(rows, term);
  if (!needs_ratio(rows, options.beta)) return terms;

  // R_i = sum_k e^{z_i.g+_k/t} / sum_k e^{z_i.g-_k/t}
  const torch::AutoGradMode with_gradient(torch::GradMode::is_enabled() && options.beta != 0);
  const auto below = options.r_exclude == options.denominator
                         ? term.logsumexp
                         : neg_scores.logsumexp(options.r_exclude);
  const auto above = pos_scores.logsumexp(options.r_exclude);
  add_ratio(rows, above, below, options.r_exclude, options.beta, terms);
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
  const auto value = alignment_uniformity(batch, term.positive, term.logsumexp, term.valid_class,
                                          term.empty_positives);
  return {.value = value, .self_p = value.loss, .ratio = {}};
}

bool needs_ratio(const GroupedBatch& batch, double beta) {
  return beta != 0 || batch.with_parts;
}

void add_ratio(const GroupedBatch& batch, const torch::Tensor& log_above,
               const torch::Tensor& log_below, Exclude r_exclude, double beta,
               InfoNCETerms& terms) {
  const auto log_ratio = log_above - log_below;
  const auto some = batch.remaining(r_exclude) > 0;  // [N]
  terms.ratio = torch::where(some, log_ratio.exp(), torch::zeros_like(log_ratio));
  // 0 times an overflowing R would be NaN.
  if (beta != 0) terms.value.loss = terms.self_p + beta * reduce(terms.ratio, batch.reduction);
  if (batch.with_parts) terms.value.parts.emplace_back("R", terms.ratio.detach().mean());
}

LossValue class_infonce(const GroupedBatch& batch, const torch::Tensor& positive,
                        const torch::Tensor& logsumexp, Exclude denominator) {
  const auto valid = valid_classes(batch, /*has_positive=*/{}, denominator);
  return alignment_uniformity(batch, positive, logsumexp, valid, EmptyPositives::kZero);
}

GeneralizedInfoNCELoss::GeneralizedInfoNCELoss(projection::ProjectionPtr pos,
                                               projection::ProjectionPtr neg,
                                               const GeneralizedInfoNCEOptions& options)
    : options_(options) {
  check_options(options);
  if (!pos || !neg) fail("generalized-infonce: both projections must be given");
  pos_ = register_module("projection_pos", std::move(pos));
  neg_ = pos_ == neg ? pos_ : register_module("projection_neg", std::move(neg));
}

LossValue GeneralizedInfoNCELoss::evaluate(const ContrastiveBatch& batch) {
  const auto rows = validate_batch(batch, GroupBy::kClass, "generalized-infonce");
  const auto pos = pos_->project(rows.candidates);
  const auto neg = pos_ == neg_ ? pos : neg_->project(rows.candidates);
  return generalized_infonce(rows, pos, neg, options_).value;
}

LossCritic GeneralizedInfoNCELoss::critic(const torch::Tensor& rows, const torch::Tensor& labels,
                                          int64_t num_classes) {
  const bool centroids = std::dynamic_pointer_cast<projection::CentroidProjection>(pos_) != nullptr;
  const bool samples = std::dynamic_pointer_cast<projection::SampleProjection>(neg_) != nullptr;
  // The pair form compares with raw centroids.
  if (centroids && samples && !options_.normalize_g) return {};
  const torch::NoGradGuard no_gradient;
  const auto grouped =
      validate_batch(make_batch(rows, labels), GroupBy::kClass, "generalized-infonce");
  const auto& groups = grouped.candidates.groups;
  const auto vectors_of = [&](projection::Projection& projection) {
    const auto projected = projection.project(grouped.candidates);
    return options_.normalize_g ? normalize_vectors(projected) : projected;
  };
  const auto pos = vectors_of(*pos_);
  if (pos.per_row) return {};  // there is no vector that stands for a class
  const auto vectors = projection::vectors_by_label(groups, pos.vectors, num_classes);
  if (pos_ == neg_) return {.class_vectors = vectors, .compares_rows = false};
  const auto neg = vectors_of(*neg_);
  return {.class_vectors = vectors,
          .negatives = neg.per_row ? neg.vectors : neg.vectors.index_select(0, groups.ids),
          .compares_rows = false};
}

}  // namespace projnce::loss
