#include "projnce/loss/pairwise_logsumexp.h"

#include <torch/autograd.h>
#include <torch/types.h>

#include "projnce/kernel/pairwise_logsumexp.h"
#include "projnce/loss/mean_positive_score.h"
#include "projnce/loss/pair_engine.h"
#include "projnce/projection/centroid.h"

namespace projnce::loss {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

double* set_row(const Tensor& by_set, int64_t set) {
  return set < by_set.size(0) ? by_set.data_ptr<double>() + set * by_set.size(1) : nullptr;
}

/// [sets, N]. The tensors that receive gradients are separate arguments, because autograd looks for
/// them there.
class LogSumExp : public torch::autograd::Function<LogSumExp> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& anchors, const Tensor& candidates,
                        PairOperands pairs) {
    pairs.anchors = anchors;
    pairs.candidates = candidates;
    Tensor result;
    if (pair_engine(anchors) == PairEngine::kTiles) {
      result = torch::empty({pairs.num_sets(), pairs.num_anchors()}, torch::kFloat64);
      const auto dense = contiguous(pairs);
      AT_DISPATCH_FLOATING_TYPES(anchors.scalar_type(), "pairwise_logsumexp", [&] {
        kernel::pairwise_logsumexp<scalar_t>(kernel_rows<scalar_t>(dense),
                                             {set_row(result, 0), set_row(result, 1)});
      });
    } else {
      result = chunked_logsumexp(pairs);
    }
    save_pairs(ctx, pairs, result);
    return result.to(anchors.scalar_type());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto [pairs, result, engine] = load_pairs(ctx);
    const auto gradients = engine == PairEngine::kTiles
                               ? tiled_backward(contiguous(pairs), result, grads[0])
                               : chunked_logsumexp_backward(pairs, result, grads[0]);
    return {gradients.anchors, gradients.candidates, {}};
  }

 private:
  static PairGradients tiled_backward(const PairOperands& pairs, const Tensor& result,
                                      const Tensor& grad) {
    const auto gradient = grad.to(torch::kFloat64).contiguous();
    return AT_DISPATCH_FLOATING_TYPES(
        pairs.anchors.scalar_type(), "pairwise_logsumexp_backward", [&] {
          const PairGradientMemory<scalar_t> memory(pairs);
          kernel::pairwise_logsumexp_backward<scalar_t>(
              kernel_rows<scalar_t>(pairs), {set_row(result, 0), set_row(result, 1)},
              {set_row(gradient, 0), set_row(gradient, 1)}, memory.rows());
          return memory.tensors(pairs.anchors.size(1));
        });
  }
};

/// A logsumexp over nothing is minus infinity, whose gradient is NaN.
Tensor zero_if_empty(const Tensor& logsumexp, const Tensor& count) {
  return torch::where(count > 0, logsumexp, torch::zeros_like(logsumexp));
}

}  // namespace

PairOperands pair_operands(const GroupedBatch& batch, const Tensor& vectors, double temperature,
                           bool split) {
  PairOperands pairs{.anchors = batch.anchors,
                     .candidates = vectors,
                     .scale = 1 / temperature,
                     .self = batch.candidates.anchor_offset,
                     .symmetric = vectors.is_same(batch.anchors)};
  if (split) {
    pairs.anchor_class = batch.anchor_class;
    pairs.candidate_class = batch.candidates.groups.ids;
  }
  return pairs;
}

Tensor pairwise_logsumexp(const PairOperands& pairs) {
  return LogSumExp::apply(pairs.anchors, pairs.candidates, pairs);
}

Tensor pairwise_logsumexp(const GroupedBatch& batch, const Tensor& vectors, double temperature,
                          Exclude exclude) {
  if (exclude == Exclude::kSameClass) {
    return split_logsumexp(batch, vectors, temperature).negatives;
  }
  const auto self =
      exclude == Exclude::kNone ? self_score(batch, vectors, temperature) : Tensor();  // [N]
  auto others = LogSumExp::apply(batch.anchors, vectors,
                                 pair_operands(batch, vectors, temperature, /*split=*/false))[0];
  const auto has_others = batch.num_candidates() > 1;
  if (!has_others) others = torch::zeros_like(others);  // minus infinity has a NaN gradient
  if (exclude == Exclude::kSelf) return others;
  return has_others ? torch::logaddexp(others, self) : self;
}

SplitLogSumExp split_logsumexp(const GroupedBatch& batch, const Tensor& vectors,
                               double temperature) {
  const auto by_set =
      LogSumExp::apply(batch.anchors, vectors,
                       pair_operands(batch, vectors, temperature, /*split=*/true));  // [2, N]
  return {zero_if_empty(by_set[0], batch.class_size - 1),
          zero_if_empty(by_set[1], batch.remaining(Exclude::kSameClass))};
}

Tensor self_score(const GroupedBatch& batch, const Tensor& vectors, double temperature) {
  const auto own =
      vectors.narrow(0, batch.candidates.anchor_offset, batch.num_anchors());  // [N, D]
  return (batch.anchors * own).sum(/*dim=*/1) / temperature;
}

Tensor log_add(const Tensor& a, const Tensor& has_a, const Tensor& b) {
  return torch::where(has_a, torch::logaddexp(a, b), b);
}

ProjectedScores::ProjectedScores(const GroupedBatch& batch, const projection::Projected& projected,
                                 double temperature)
    : batch_(batch), temperature_(temperature) {
  if (projected.positive.defined()) {
    positive_ = (batch.anchors * projected.positive).sum(/*dim=*/1) / temperature;
  }
  if (projected.per_row) {
    row_vectors_ = projected.vectors;
    if (!positive_.defined()) positive_ = self_score(batch, row_vectors_, temperature);
    return;
  }
  const auto& counts = batch.candidates.groups.counts;
  const auto log_count = counts.to(batch.anchors.scalar_type()).log();  // [K]
  // sum_k over the n_c candidates of class c is n_c e^{z_i.g_c/t} = e^{z_i.g_c/t + log n_c}: one
  // candidate with a bias for each class. The anchor's own class is its only positive.
  const PairOperands classes{.anchors = batch.anchors,
                             .candidates = projected.vectors,
                             .scale = 1 / temperature,
                             .anchor_class = batch.anchor_class,
                             .candidate_class = torch::arange(counts.size(0), counts.options()),
                             .bias = log_count};
  const auto by_set = LogSumExp::apply(classes.anchors, classes.candidates, classes);  // [2, N]
  other_classes_ = by_set[1];
  if (!positive_.defined()) {
    positive_ = by_set[0] - log_count.index_select(0, batch.anchor_class);
  }
}

ProjectedScores ProjectedScores::with_leave_one_out_centroids(const GroupedBatch& batch,
                                                              double temperature, bool detach) {
  ProjectedScores scores(
      batch,
      projection::project_centroids(batch.candidates,
                                    {.rows = projection::CentroidRows::kAll, .detach = detach}),
      temperature);
  // The score is linear in the centroid, so it needs no vector for each anchor.
  scores.positive_ =
      torch::where(batch.class_size > 1,
                   mean_positive_score(batch, temperature, {.detach = detach}), scores.positive_);
  return scores;
}

Tensor ProjectedScores::logsumexp(Exclude exclude) const {
  if (row_vectors_.defined()) {
    return pairwise_logsumexp(batch_, row_vectors_, temperature_, exclude);
  }
  const bool one_class = batch_.candidates.groups.size() == 1;
  const auto others = one_class ? torch::zeros_like(positive_) : other_classes_;  // finite
  if (exclude == Exclude::kSameClass) return others;
  const auto count = exclude == Exclude::kSelf ? batch_.class_size - 1 : batch_.class_size;  // [N]
  const auto same_class = positive_ + count.clamp_min(1).to(positive_.scalar_type()).log();
  if (one_class) return torch::where(count > 0, same_class, torch::zeros_like(same_class));
  return log_add(same_class, count > 0, others);
}

}  // namespace projnce::loss
