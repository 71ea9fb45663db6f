#include "projnce/loss/supcon.h"

#include "projnce/loss/pair_scores.h"
#include "projnce/loss/positive_score.h"
#include "projnce/loss/projected_scores.h"
#include "projnce/loss/selfp_terms.h"

namespace projnce {

namespace {

/// What an anchor is pulled by and what it is pushed by, each [N].
struct Forces {
  torch::Tensor positive;
  torch::Tensor log_mass;
};

Forces mean_outside(const ContrastRows& rows, const SupConOptions& options) {
  const PairScores scores(rows, rows.candidates.rows, options.temperature);
  return {
      mean_positive_score(rows, options.temperature,
                          {.include_self = options.include_self_pos, .detach = options.detach_pos}),
      options.include_self_denom ? scores.all_mass() : scores.others_mass()};
}

Forces mean_inside(const ContrastRows& rows, const SupConOptions& options) {
  const auto has_positives = rows.own_count > 1;
  const PairScores scores(rows, rows.candidates.rows, options.temperature);
  const auto [positives, negatives] = scores.split_mass();

  auto log_mass = torch::where(rows.remaining(Leave::kOwnClass) > 0,
                               log_add(positives, has_positives, negatives), positives);
  if (options.include_self_denom) {
    log_mass = log_add(log_mass, rows.remaining(Leave::kSelf) > 0, scores.self_score());
  }
  const PairScores constant(rows, rows.candidates.rows.detach(), options.temperature);
  const auto& pulling = options.detach_pos ? constant : scores;
  auto pull = options.detach_pos ? constant.split_mass().positives : positives;
  if (options.include_self_pos) pull = log_add(pull, has_positives, pulling.self_score());
  const auto count = rows.own_count - (options.include_self_pos ? 0 : 1);
  return {pull - count.clamp_min(1).to(pull.scalar_type()).log(), log_mass};
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
  const auto centroids =
      ProjectedScores::of_centroids_without_anchor(rows, temperature, /*detach=*/true);
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
  const auto [positive, log_mass] = options.variant == SupConVariant::kOut
                                        ? mean_outside(rows, options)
                                        : mean_inside(rows, options);

  const auto valid = valid_classes(rows, options);
  auto value = pull_and_push(rows, positive, log_mass, valid, options.empty_pos);
  if (options.base_tau) value.loss = value.loss * (options.temperature / *options.base_tau);

  const bool bound_known = rows.with_parts && group_by == GroupBy::kClass &&
                           rows.num_candidates() > 1 && options.variant == SupConVariant::kOut &&
                           !options.include_self_pos && !options.include_self_denom;
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
