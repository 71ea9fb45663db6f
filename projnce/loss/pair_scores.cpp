#include "projnce/loss/pair_scores.h"

#include "projnce/loss/pair_mass.h"

namespace projnce {

namespace {

/// A mass over nothing is minus infinity, whose gradient is of no use to anyone.
torch::Tensor zero_where_empty(const torch::Tensor& mass, const torch::Tensor& count) {
  return torch::where(count > 0, mass, torch::zeros_like(mass));
}

}  // namespace

PairScores::PairScores(const ContrastRows& rows, const torch::Tensor& vectors, double temperature)
    : rows_(rows), vectors_(vectors), temperature_(temperature) {}

PairOperands PairScores::operands(bool split) const {
  PairOperands pairs{.anchors = rows_.anchors,
                     .candidates = vectors_,
                     .scale = 1 / temperature_,
                     .self = rows_.candidates.anchor_offset,
                     .symmetric = vectors_.is_same(rows_.anchors)};
  if (split) {
    pairs.anchor_class = rows_.anchor_class;
    pairs.candidate_class = rows_.candidates.groups.ids;
  }
  return pairs;
}

torch::Tensor PairScores::others_mass() const {
  const auto masses = log_masses(operands(/*split=*/false))[0];
  return rows_.num_candidates() > 1 ? masses
                                    : zero_where_empty(masses, rows_.remaining(Leave::kSelf));
}

torch::Tensor PairScores::all_mass() const {
  return log_add(others_mass(), rows_.remaining(Leave::kSelf) > 0, self_score());
}

SplitMass PairScores::split_mass() const {
  const auto masses = log_masses(operands(/*split=*/true));  // [2, N]
  return {zero_where_empty(masses[0], rows_.own_count - 1),
          zero_where_empty(masses[1], rows_.remaining(Leave::kOwnClass))};
}

torch::Tensor PairScores::self_score() const {
  const auto own =
      vectors_.narrow(0, rows_.candidates.anchor_offset, rows_.num_anchors());  // [N, D]
  return (rows_.anchors * own).sum(/*dim=*/1) / temperature_;
}

torch::Tensor PairScores::mean_curve(const CurveSum& curve, const torch::Tensor& level) const {
  const auto count = curve.negatives ? rows_.remaining(Leave::kOwnClass) : rows_.own_count - 1;
  const auto sum = curve_sum(operands(/*split=*/true), curve, level);
  return sum / count.clamp_min(1).to(sum.scalar_type());
}

torch::Tensor log_add(const torch::Tensor& a, const torch::Tensor& has_a, const torch::Tensor& b) {
  return torch::where(has_a, torch::logaddexp(a, b), b);
}

}  // namespace projnce
