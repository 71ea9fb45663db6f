#include "projnce/loss/projnce_perp.h"

#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"

namespace projnce::loss {

namespace {

constexpr auto kPerpName = "projnce-perp";

void check_options(const ProjncePerpOptions& options) {
  check_positive(options.temperature, kPerpName, "temperature");
  projection::check_options(options.perp.nw);
}

}  // namespace

LossValue projnce_perp(const ContrastiveBatch& batch, const ProjncePerpOptions& options) {
  check_options(options);
  const auto grouped = validate_batch(batch, GroupBy::kClass, kPerpName);
  // g_c = sum_k q_kc z_k / sum_k q_kc, an estimate of E[Z | C = c] from soft labels q
  const auto [rows, g] =
      use_class_vectors(grouped, projection::project_perp(grouped.candidates, options.perp),
                        {.normalize = options.normalize_g, .detach = options.detach_g}, kPerpName);
  // l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t}
  const ProjectedScores scores(rows, g, options.temperature);
  return class_infonce(rows, scores.positive(), scores.logsumexp(options.denominator),
                       options.denominator);
}

ProjncePerpLoss::ProjncePerpLoss(const ProjncePerpOptions& options) : options_(options) {
  check_options(options);
}

LossValue ProjncePerpLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_perp(batch, options_);
}

LossCritic ProjncePerpLoss::critic(const torch::Tensor& rows, const torch::Tensor& labels,
                                   int64_t num_classes) {
  // Soft labels of other rows are not known; their means are near the class centroids.
  if (options_.perp.soft_source == projection::SoftSource::kGiven) return {.compares_rows = false};
  const torch::NoGradGuard no_gradient;
  const auto grouped = validate_batch(make_batch(rows, labels), GroupBy::kClass, kPerpName);
  const auto g = projection::project_perp(grouped.candidates, options_.perp).vectors;
  return {.class_vectors = projection::vectors_by_label(
              grouped.candidates.groups, options_.normalize_g ? projection::unit_rows(g) : g,
              num_classes),
          .compares_rows = false};
}

}  // namespace projnce::loss
