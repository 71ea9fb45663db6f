#include "projnce/loss/projected_scores.h"

#include "projnce/loss/pair_mass.h"
#include "projnce/loss/positive_score.h"
#include "projnce/projection/centroid.h"

namespace projnce {

ProjectedScores::ProjectedScores(const ContrastRows& rows, const Projected& projected,
                                 double temperature)
    : rows_(rows) {
  if (projected.own.defined()) {
    own_ = (rows.anchors * projected.own).sum(/*dim=*/1) / temperature;
  }
  if (projected.per_row) {
    pairs_.emplace(rows, projected.vectors, temperature);
    if (!own_.defined()) own_ = pairs_->self_score();
    return;
  }
  const auto& counts = rows.candidates.groups.counts;
  const auto log_count = counts.to(rows.anchors.scalar_type()).log();  // [K]
  // A class is a candidate that weighs as much as its rows: log n_c more than one of them. The
  // anchor's own class is its only positive.
  const auto masses =
      log_masses({.anchors = rows.anchors,
                  .candidates = projected.vectors,
                  .scale = 1 / temperature,
                  .anchor_class = rows.anchor_class,
                  .candidate_class = torch::arange(counts.size(0), counts.options()),
                  .bias = log_count});  // [2, N]
  other_classes_ = masses[1];
  if (!own_.defined()) own_ = masses[0] - log_count.index_select(0, rows.anchor_class);
}

ProjectedScores ProjectedScores::of_centroids_without_anchor(const ContrastRows& rows,
                                                             double temperature, bool detach) {
  ProjectedScores scores(
      rows, project_centroids(rows.candidates, {.rows = CentroidRows::kAll, .detach = detach}),
      temperature);
  // Linear in the centroid, so no vector for each anchor is needed.
  scores.own_ = torch::where(
      rows.own_count > 1, mean_positive_score(rows, temperature, {.detach = detach}), scores.own_);
  return scores;
}

torch::Tensor ProjectedScores::pair_mass(Leave leave) const {
  switch (leave) {
    case Leave::kNothing:
      return pairs_->all_mass();
    case Leave::kSelf:
      return pairs_->others_mass();
    case Leave::kOwnClass:
      return pairs_->split_mass().negatives;
  }
  TORCH_CHECK(false, "no such set of candidates");
}

torch::Tensor ProjectedScores::log_mass(Leave leave) const {
  if (pairs_) return pair_mass(leave);
  const bool one_class = rows_.candidates.groups.size() == 1;
  const auto others = one_class ? torch::zeros_like(own_) : other_classes_;  // not minus infinity
  if (leave == Leave::kOwnClass) return others;
  const auto count = leave == Leave::kSelf ? rows_.own_count - 1 : rows_.own_count;  // [N]
  const auto own = own_ + count.clamp_min(1).to(own_.scalar_type()).log();
  if (one_class) return torch::where(count > 0, own, torch::zeros_like(own));
  return log_add(own, count > 0, others);
}

}  // namespace projnce
