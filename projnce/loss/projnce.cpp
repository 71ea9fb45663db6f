#include "projnce/loss/projnce.h"

#include <cmath>
#include <optional>

#include "projnce/core/error.h"
#include "projnce/loss/mean_positive_score.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"

namespace projnce::loss {

namespace {

void check_options(const ProjnceOptions& options) {
  check_positive(options.temperature, "projnce", "temperature");
  if (!std::isfinite(options.beta)) fail("projnce: beta = ", options.beta, " must be finite");
}

/// Scores z_i.m_c/t with the centroids of R.
ProjectedScores centroid_scores(const GroupedBatch& rows, const ProjnceOptions& options) {
  if (options.r_centroid == projection::CentroidRows::kNotAnchor && !options.normalize_g) {
    return ProjectedScores::with_leave_one_out_centroids(rows, options.temperature,
                                                         options.detach_centroid);
  }
  const auto centroids = projection::project_centroids(
      rows.candidates, {.rows = options.r_centroid, .detach = options.detach_centroid});
  return {rows, options.normalize_g ? normalize_vectors(centroids) : centroids,
          options.temperature};
}

/// z_i.g+_i/t, [N]: the mean score with the positives, or the score with their unit centroid.
torch::Tensor positive_score(const GroupedBatch& rows, const ProjnceOptions& options) {
  if (!options.normalize_g) {
    return mean_positive_score(
        rows, options.temperature,
        {.include_self = options.include_self_pos, .detach = options.detach_centroid});
  }
  const auto unit = projection::unit_rows(
      projection::anchor_centroids(rows.candidates, options.include_self_pos));  // [N, D]
  const auto g = options.detach_centroid ? unit.detach() : unit;
  return (rows.anchors * g).sum(/*dim=*/1) / options.temperature;
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
  const SelfPTerm term{.positive = positive_score(rows, options),
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

LossCritic ProjnceLoss::critic(const torch::Tensor& rows, const torch::Tensor& labels,
                               int64_t num_classes) {
  if (!options_.normalize_g) return {};
  // The pair form compares with raw centroids; the general form takes unit ones.
  const torch::NoGradGuard no_gradient;
  const auto grouped = validate_batch(make_batch(rows, labels), GroupBy::kClass, "projnce");
  const auto& groups = grouped.candidates.groups;
  const auto unit = projection::unit_rows(projection::class_means(groups, grouped.anchors));
  return {.class_vectors = projection::vectors_by_label(groups, unit, num_classes),
          .negatives = grouped.anchors,
          .compares_rows = false};
}

}  // namespace projnce::loss
