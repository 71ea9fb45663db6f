#include "projnce/loss/projnce_med.h"

#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/loss/projected_check.h"

namespace projnce::loss {

namespace {

constexpr auto kMedName = "projnce-med";

}  // namespace

LossValue projnce_med(const ContrastiveBatch& batch, const ProjnceMedOptions& options) {
  check_positive(options.temperature, kMedName, "temperature");
  const auto grouped = validate_batch(batch, GroupBy::kClass, kMedName);
  // g_c = median_{k: y_k = c} z_k
  const auto [rows, g] = use_class_vectors(
      grouped, projection::project_medians(grouped.candidates, {.median = options.median}),
      {.normalize = options.normalize_g, .detach = options.detach_g}, kMedName);
  // l_i = -z_i.g_{y_i}/t + log sum_c n_c e^{z_i.g_c/t}
  const ProjectedScores scores(rows, g, options.temperature);
  return class_infonce(rows, scores.positive(), scores.logsumexp(options.denominator),
                       options.denominator);
}

ProjnceMedLoss::ProjnceMedLoss(const ProjnceMedOptions& options) : options_(options) {
  check_positive(options.temperature, kMedName, "temperature");
}

LossValue ProjnceMedLoss::evaluate(const ContrastiveBatch& batch) {
  return projnce_med(batch, options_);
}

LossCritic ProjnceMedLoss::critic(const torch::Tensor& rows, const torch::Tensor& labels,
                                  int64_t num_classes) {
  const torch::NoGradGuard no_gradient;
  const auto grouped = validate_batch(make_batch(rows, labels), GroupBy::kClass, kMedName);
  const auto g =
      projection::project_medians(grouped.candidates, {.median = options_.median}).vectors;
  return {.class_vectors = projection::vectors_by_label(
              grouped.candidates.groups, options_.normalize_g ? projection::unit_rows(g) : g,
              num_classes),
          .compares_rows = false};
}

}  // namespace projnce::loss
