#include "projnce/loss/pair_scores.h"

#include <limits>

#include "projnce/projection/centroid.h"

namespace projnce {

PairScores::PairScores(const ContrastRows& rows, const torch::Tensor& vectors, double temperature)
    : values_(rows.anchors.mm(vectors.t()) / temperature) {  // [N, M]
  const auto& ids = rows.candidates.groups.ids;
  is_self_ = torch::arange(ids.size(0), ids.options()) == rows.self_index().unsqueeze(1);
  same_class_ = ids == rows.anchor_class.unsqueeze(1);
}

torch::Tensor PairScores::mask(Among among) const {
  switch (among) {
    case Among::kAll:
      return torch::ones_like(is_self_);
    case Among::kOthers:
      return ~is_self_;
    case Among::kPositives:
      return same_class_ & ~is_self_;
    case Among::kPositivesAndSelf:
      return same_class_;
    case Among::kNegatives:
      return ~same_class_;
  }
  TORCH_CHECK(false, "no such set of candidates");
}

torch::Tensor PairScores::log_mass(Among among) const {
  return masked_logsumexp(values_, mask(among));
}

torch::Tensor masked_logsumexp(const torch::Tensor& values, const torch::Tensor& mask) {
  const auto empty = mask.logical_not().all(/*dim=*/1, /*keepdim=*/true);  // [N, 1]
  // An empty row of -inf would have the gradient NaN; a row of zeros that nothing feeds has none.
  const auto kept =
      values.masked_fill(~mask, -std::numeric_limits<double>::infinity()).masked_fill(empty, 0);
  return kept.logsumexp(/*dim=*/1).masked_fill(empty.squeeze(1), 0);  // [N]
}

torch::Tensor mean_positive_score(const ContrastRows& rows, double temperature,
                                  const PositiveOptions& options) {
  const auto centroids = anchor_centroids(rows.candidates, options.include_self);  // [N, D]
  return (rows.anchors * (options.detach ? centroids.detach() : centroids)).sum(/*dim=*/1) /
         temperature;
}

}  // namespace projnce
