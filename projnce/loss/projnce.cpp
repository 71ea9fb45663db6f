#include "projnce/loss/projnce.h"

#include <cmath>
#include <optional>

#include "projnce/core/error.h"
#include "projnce/loss/mean_positive_score.h"
#include "projnce/loss/pairwise_logsumexp.h"

namespace projnce::loss {

namespace {

void check_options(const ProjnceOptions& options) {
  check_positive(options.temperature, "projnce", "temperature");
  if (!std::isfinite(options.beta)) fail("projnce: beta = ", options.beta, " must be finite");
}

/// Scores z_i.m_c/t with the centroids of R.
ProjectedScores centroid_scores(const GroupedBatch& rows, const ProjnceOptions& options) {
  if (options.r_centroid == projection::CentroidRows::kNotAnchor) {
    return ProjectedScores::with_leave_one_out_centroids(rows, options.temperature,
                                                         options.detach_centroid);
  }
  return {rows,
          projection::project_centroids(
              rows.candidates, {.rows = options.r_centroid, .detach = options.detach_centroid}),
          options.temperature};
}

}  // namespace

ProjnceOptions projnce_preset(ProjncePreset preset) {
  ProjnceOptions options;
  if (preset == ProjncePreset::kLeaveOneOut) return options;
  options.include_self_pos = true;
  options.r_centroid = projection::CentroidRows::kAll;
  if (preset == ProjncePreset::kAllPairs) {
    options.include_self_denom = true;
    options.r_exclude = Exclude::kNone;
  }
  return options;
}

InfoNCETerms projnce_terms(const ContrastiveBatch& batch, const ProjnceOptions& options) {
  check_options(options);
  const auto rows = validate_batch(batch, GroupBy::kClass, "projnce");
  const auto& z = rows.candidates.rows;
  const auto t = options.temperature;
  const bool with_ratio = needs_ratio(rows, options.beta);
  const auto centroids = with_ratio ? std::optional(centroid_scores(rows, options)) : std::nullopt;

  // SupCon_out = sum_i w_i ( -mean_{p in P(i)} z_i.z_p/t + log sum_{j in D(i)} e^{z_i.z_j/t} )
  const auto denominator = options.include_self_denom ? Exclude::kNone : Exclude::kSelf;
  const auto has_positives = rows.candidates.groups.counts > (options.include_self_pos ? 0 : 1);
  const SelfPTerm term{
      .positive = mean_positive_score(
          rows, t, {.include_self = options.include_self_pos, .detach = options.detach_centroid}),
      .logsumexp = pairwise_logsumexp(rows, z, t, denominator),
      .valid_class = valid_classes(rows, has_positives, denominator),
      .empty_positives = options.empty_positives};
  auto terms = self_p(rows, term);
  if (!with_ratio) return terms;

  // R_i = sum_{k in K(i)} e^{z_i.m_{y_k}/t} / sum_{k in K(i)} e^{z_i.z_k/t}
  const torch::AutoGradMode with_gradient(torch::GradMode::is_enabled() && options.beta != 0);
  const auto below = options.r_exclude == denominator
                         ? term.logsumexp
                         : pairwise_logsumexp(rows, z, t, options.r_exclude);
  const auto above = centroids->logsumexp(options.r_exclude);
  add_ratio(rows, above, below, options.r_exclude, options.beta, terms);
  return terms;
}

LossValue projnce(const ContrastiveBatch& batch, const ProjnceOptions& options) {
  return projnce_terms(batch, options).value;
}

ProjnceLoss::ProjnceLoss(const ProjnceOptions& options) : options_(options) {
  check_options(options);
}

LossValue ProjnceLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_terms(batch, options_).value;
}

}  // namespace projnce::loss
