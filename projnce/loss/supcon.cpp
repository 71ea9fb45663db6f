#include "projnce/loss/supcon.h"

#include "projnce/loss/generalized_infonce.h"
#include "projnce/loss/mean_positive_score.h"
#include "projnce/loss/pairwise_logsumexp.h"

namespace projnce::loss {

namespace {

/// l_i = logsumexp_i - positive_i, both [N].
struct SupConTerms {
  torch::Tensor positive;
  torch::Tensor logsumexp;
};

/// l_i = -mean_{p in P(i)} s_ip + log sum_{j in D(i)} e^{s_ij}
SupConTerms supcon_out(const GroupedBatch& rows, const SupConOptions& options) {
  const auto t = options.temperature;
  return {mean_positive_score(
              rows, t, {.include_self = options.include_self_pos, .detach = options.detach_pos}),
          pairwise_logsumexp(rows, rows.candidates.rows, t,
                             options.include_self_denom ? Exclude::kNone : Exclude::kSelf)};
}

/// l_i = -log( mean_{p in P(i)} e^{s_ip} ) + log sum_{j in D(i)} e^{s_ij}
SupConTerms supcon_in(const GroupedBatch& rows, const SupConOptions& options) {
  const auto t = options.temperature;
  const auto& z = rows.candidates.rows;
  const auto has_positives = rows.class_size > 1;
  const auto [positives, negatives] = split_logsumexp(rows, z, t);

  auto logsumexp = torch::where(rows.remaining(Exclude::kSameClass) > 0,
                                log_add(positives, has_positives, negatives), positives);
  if (options.include_self_denom) {
    logsumexp = log_add(logsumexp, rows.remaining(Exclude::kSelf) > 0, self_score(rows, z, t));
  }
  const auto targets = options.detach_pos ? z.detach() : z;
  auto positive = options.detach_pos ? split_logsumexp(rows, targets, t).positives : positives;
  if (options.include_self_pos) {
    positive = log_add(positive, has_positives, self_score(rows, targets, t));
  }
  const auto count = rows.class_size - (options.include_self_pos ? 0 : 1);
  return {positive - count.clamp_min(1).to(positive.scalar_type()).log(), logsumexp};
}

/// Classes whose anchors have both positives and a denominator, [K].
torch::Tensor valid_supcon_classes(const GroupedBatch& rows, const SupConOptions& options) {
  const auto& counts = rows.candidates.groups.counts;
  const bool denominator = options.include_self_denom || rows.num_candidates() > 1;
  if (!denominator) return torch::zeros_like(counts, torch::kBool);
  return counts > (options.include_self_pos ? 0 : 1);
}

/// mean_i R_i with leave-one-out centroids, as in ProjNCE; O(N K D) in addition to the loss's O(N M
/// D).
torch::Tensor mean_ratio(const GroupedBatch& rows, const torch::Tensor& logsumexp,
                         double temperature) {
  const auto centroids =
      ProjectedScores::with_leave_one_out_centroids(rows, temperature, /*detach=*/true);
  return (centroids.logsumexp(Exclude::kSelf) - logsumexp).exp().mean();
}

}  // namespace

void check_options(const SupConOptions& options, const std::string& name) {
  check_positive(options.temperature, name, "temperature");
  if (options.base_temperature) check_positive(*options.base_temperature, name, "base_temperature");
}

LossValue supcon_grouped(const ContrastiveBatch& batch, const SupConOptions& options,
                         GroupBy group_by, const std::string& name) {
  check_options(options, name);
  const auto rows = validate_batch(batch, group_by, name);
  const bool out = options.variant == SupConVariant::kOut;
  const auto [positive, logsumexp] = out ? supcon_out(rows, options) : supcon_in(rows, options);

  // L = sum_i w_i l_i
  const auto valid = valid_supcon_classes(rows, options);
  auto value = alignment_uniformity(rows, positive, logsumexp, valid, options.empty_positives);
  if (options.base_temperature)
    value.loss = value.loss * (options.temperature / *options.base_temperature);

  const bool has_ratio = rows.with_parts && group_by == GroupBy::kClass &&
                         rows.num_candidates() > 1 && out && !options.include_self_pos &&
                         !options.include_self_denom;
  if (has_ratio) {
    const torch::NoGradGuard no_gradient;
    value.parts.emplace_back("R", mean_ratio(rows, logsumexp.detach(), options.temperature));
  }
  return value;
}

LossValue supcon(const ContrastiveBatch& batch, const SupConOptions& options) {
  return supcon_grouped(batch, options, GroupBy::kClass, "supcon");
}

SupConLoss::SupConLoss(const SupConOptions& options) : options_(options) {
  check_options(options, "supcon");
}

LossValue SupConLoss::evaluate(const ContrastiveBatch& batch) {
  return supcon_grouped(batch, options_, GroupBy::kClass, "supcon");
}

}  // namespace projnce::loss
