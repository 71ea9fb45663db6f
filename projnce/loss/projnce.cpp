#include "projnce/loss/projnce.h"

#include <cmath>

#include "projnce/core/error.h"
#include "projnce/loss/pair_scores.h"
#include "projnce/loss/positive_score.h"
#include "projnce/loss/projected_scores.h"

namespace projnce {

namespace {

void check_options(const ProjnceOptions& options) {
  check_positive(options.temperature, "projnce", "temperature");
  if (!std::isfinite(options.beta)) fail("projnce: beta = ", options.beta, " must be finite");
}

ProjectedScores centroid_scores(const ContrastRows& rows, const ProjnceOptions& options) {
  if (options.r_centroid == CentroidRows::kNotAnchor) {
    return ProjectedScores::of_centroids_without_anchor(rows, options.temperature,
                                                        options.detach_centroid);
  }
  return {rows,
          project_centroids(rows.candidates,
                            {.rows = options.r_centroid, .detach = options.detach_centroid}),
          options.temperature};
}

SelfpTerms terms_of(const ContrastRows& rows, const ProjnceOptions& options) {
  const auto t = options.temperature;
  const ProjectedScores neg(rows, {.vectors = rows.candidates.rows, .per_row = true}, t);
  const auto pos = centroid_scores(rows, options);
  const auto positive = mean_positive_score(
      rows, t, {.include_self = options.include_self_pos, .detach = options.detach_centroid});
  const auto partners = options.include_self_pos ? 0 : 1;
  return selfp_terms(rows,
                     {.positive = positive,
                      .valid_class = rows.candidates.groups.counts > partners,
                      .pos = &pos,
                      .neg = &neg,
                      .denominator = options.include_self_denom ? Leave::kNothing : Leave::kSelf,
                      .r_leave = options.r_exclude,
                      .beta = options.beta,
                      .empty = options.empty_pos});
}

}  // namespace

ProjnceOptions projnce_preset(ProjncePreset preset) {
  ProjnceOptions options;
  if (preset == ProjncePreset::kLoo) return options;
  options.include_self_pos = true;
  options.r_centroid = CentroidRows::kAll;
  if (preset == ProjncePreset::kAllPairs) {
    options.include_self_denom = true;
    options.r_exclude = Leave::kNothing;
  }
  return options;
}

SelfpTerms projnce_terms(const ContrastiveBatch& batch, const ProjnceOptions& options) {
  check_options(options);
  return terms_of(contrast_rows(batch, GroupBy::kClass, "projnce"), options);
}

LossValue projnce(const ContrastiveBatch& batch, const ProjnceOptions& options) {
  return projnce_terms(batch, options).value;
}

ProjnceLoss::ProjnceLoss(const ProjnceOptions& options) : options_(options) {
  check_options(options);
}

LossValue ProjnceLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce(batch, options_);
}

}  // namespace projnce
