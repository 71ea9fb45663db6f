#include "projnce/loss/projected_scores.h"

namespace projnce {

namespace {

Among among(Leave leave) {
  switch (leave) {
    case Leave::kNothing:
      return Among::kAll;
    case Leave::kSelf:
      return Among::kOthers;
    case Leave::kOwnClass:
      return Among::kNegatives;
  }
  TORCH_CHECK(false, "no such set of candidates");
}

}  // namespace

ProjectedScores::ProjectedScores(const ContrastRows& rows, const Projected& projected,
                                 double temperature)
    : counts_(rows.candidates.groups.counts) {
  auto own_vectors = projected.own;  // [N, D]
  if (!own_vectors.defined()) {
    const auto index = projected.per_row ? rows.self_index() : rows.anchor_class;
    own_vectors = projected.vectors.index_select(0, index);
  }
  own_ = (rows.anchors * own_vectors).sum(/*dim=*/1) / temperature;
  if (projected.per_row) {
    pairs_.emplace(rows, projected.vectors, temperature);
    return;
  }
  by_class_ = rows.anchors.mm(projected.vectors.t()) / temperature;  // [N, K]
  is_own_ = torch::arange(counts_.size(0), counts_.options()) == rows.anchor_class.unsqueeze(1);
  if (projected.own.defined()) by_class_ = torch::where(is_own_, own_.unsqueeze(1), by_class_);
}

torch::Tensor ProjectedScores::log_mass(Leave leave) const {
  if (pairs_) return pairs_->log_mass(among(leave));
  auto weight = counts_.expand_as(is_own_);  // [N, K]
  if (leave == Leave::kSelf) weight = weight - is_own_.to(torch::kInt64);
  if (leave == Leave::kOwnClass) weight = weight.masked_fill(is_own_, 0);
  const auto log_weight = weight.clamp_min(1).to(by_class_.scalar_type()).log();
  return masked_logsumexp(by_class_ + log_weight, weight > 0);
}

}  // namespace projnce
