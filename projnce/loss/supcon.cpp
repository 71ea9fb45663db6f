#include "projnce/loss/supcon.h"

#include "projnce/loss/pair_scores.h"
#include "projnce/loss/projected_scores.h"
#include "projnce/loss/selfp_terms.h"
#include "projnce/projection/centroid.h"

namespace projnce {

namespace {

/// Score with the positives, [N].
torch::Tensor positive_score(const ContrastRows& rows, const PairScores& scores,
                             const SupConOptions& options) {
  if (options.variant == SupConVariant::kOut) {
    return mean_positive_score(
        rows, options.temperature,
        {.include_self = options.include_self_pos, .detach = options.detach_pos});
  }
  const auto among = options.include_self_pos ? Among::kPositivesAndSelf : Among::kPositives;
  const auto positives = rows.own_count - (options.include_self_pos ? 0 : 1);
  const auto log_mass =
      options.detach_pos
          ? PairScores(rows, rows.candidates.rows.detach(), options.temperature).log_mass(among)
          : scores.log_mass(among);
  return log_mass - positives.clamp_min(1).to(log_mass.scalar_type()).log();
}

/// Classes whose anchors have both positives and a denominator, [K].
torch::Tensor valid_classes(const ContrastRows& rows, const SupConOptions& options) {
  const auto& counts = rows.candidates.groups.counts;
  const bool denominator = options.include_self_denom || rows.num_candidates() > 1;
  if (!denominator) return torch::zeros_like(counts, torch::kBool);
  return counts > (options.include_self_pos ? 0 : 1);
}

/// R of the SupCon projections, leave-one-out; it costs O(N K D) beside the loss's O(N M D).
torch::Tensor mean_ratio(const ContrastRows& rows, const torch::Tensor& log_mass,
                         double temperature) {
  const ProjectedScores centroids(rows, project_centroids(rows.candidates, {}), temperature);
  return (centroids.log_mass(Leave::kSelf) - log_mass).exp().mean();
}

}  // namespace

void check_options(const SupConOptions& options, const std::string& name) {
  check_positive(options.temperature, name, "temperature");
  if (options.base_tau) check_positive(*options.base_tau, name, "base_tau");
}

LossValue supcon_grouped(const ContrastiveBatch& batch, const SupConOptions& options,
                         GroupBy group_by, const std::string& name) {
  const auto rows = contrast_rows(batch, group_by, name);
  const PairScores scores(rows, rows.candidates.rows, options.temperature);
  const auto positive = positive_score(rows, scores, options);  // [N]
  const auto log_mass =
      scores.log_mass(options.include_self_denom ? Among::kAll : Among::kOthers);  // [N]

  const auto valid = valid_classes(rows, options);
  auto value = pull_and_push(rows, positive, log_mass, valid, options.empty_pos);
  if (options.base_tau) value.loss = value.loss * (options.temperature / *options.base_tau);

  const bool bound_known = group_by == GroupBy::kClass && rows.num_candidates() > 1 &&
                           options.variant == SupConVariant::kOut && !options.include_self_pos &&
                           !options.include_self_denom;
  if (bound_known) {
    const torch::NoGradGuard no_gradient;
    const auto ratio = mean_ratio(rows, log_mass.detach(), options.temperature);
    value.parts.emplace_back("R", ratio);
    value.parts.emplace_back(
        "mi_bound", pair_bound(rows, log_mass - positive, valid, ratio, rows.num_candidates() - 1));
  }
  return value;
}

LossValue supcon(const ContrastiveBatch& batch, const SupConOptions& options) {
  check_options(options, "supcon");
  return supcon_grouped(batch, options, GroupBy::kClass, "supcon");
}

SupConLoss::SupConLoss(const SupConOptions& options) : options_(options) {
  check_options(options, "supcon");
}

LossValue SupConLoss::evaluate(const ContrastiveBatch& batch) {
  return supcon(batch, options_);
}

}  // namespace projnce
