#include "projnce/loss/selfp.h"

#include <cmath>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/loss/projected_check.h"
#include "projnce/loss/projected_scores.h"

namespace projnce {

namespace {

void check_options(const SelfpOptions& options) {
  check_positive(options.temperature, "selfp", "temperature");
  if (!std::isfinite(options.beta)) fail("selfp: beta = ", options.beta, " must be finite");
  if (options.denominator == Leave::kOwnClass) {
    fail("selfp: the denominator leaves out nothing or the anchor, never a class");
  }
}

}  // namespace

SelfpTerms selfp(const ContrastRows& batch, const Projected& pos, const Projected& neg,
                 const SelfpOptions& options) {
  check_options(options);
  const auto rows = check_projected(check_projected(batch, pos, "selfp: the positive projection"),
                                    neg, "selfp: the negative projection");
  const ProjectedScores pos_scores(rows, pos, options.temperature);
  const ProjectedScores neg_scores(rows, neg, options.temperature);
  return selfp_terms(rows, {.positive = pos_scores.own(),
                            .valid_class = pos.own_exists,
                            .pos = &pos_scores,
                            .neg = &neg_scores,
                            .denominator = options.denominator,
                            .r_leave = options.r_exclude,
                            .beta = options.beta,
                            .empty = options.empty_pos});
}

SelfpLoss::SelfpLoss(ProjectionPtr pos, ProjectionPtr neg, const SelfpOptions& options)
    : options_(options) {
  check_options(options);
  if (!pos || !neg) fail("selfp: both projections must be given");
  pos_ = register_module("projection_pos", std::move(pos));
  neg_ = pos_ == neg ? pos_ : register_module("projection_neg", std::move(neg));
}

LossValue SelfpLoss::evaluate(const ContrastiveBatch& batch) {
  const auto rows = contrast_rows(batch, GroupBy::kClass, "selfp");
  const auto pos = pos_->project(rows.candidates);
  const auto neg = pos_ == neg_ ? pos : neg_->project(rows.candidates);
  return selfp(rows, pos, neg, options_).value;
}

}  // namespace projnce
