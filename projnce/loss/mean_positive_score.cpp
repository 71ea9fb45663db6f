#include "projnce/loss/mean_positive_score.h"

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/core/error.h"
#include "projnce/kernel/class_mean_score.h"
#include "projnce/loss/pairwise_logsumexp.h"
#include "projnce/projection/centroid.h"

namespace projnce::loss {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Operands of the kernel; contiguous CPU tensors.
struct ClassScores {
  Tensor anchors;     // [N, D]
  Tensor candidates;  // [M, D]
  Tensor ids;         // [M]
  Tensor counts;      // [K]
  int64_t offset;
  bool include_self;
  double scale;

  template <class T>
  kernel::ClassScoreRows<T> rows() const {
    return {.anchors = anchors.data_ptr<T>(),
            .num_anchors = anchors.size(0),
            .first_anchor = offset,
            .candidates = candidates.data_ptr<T>(),
            .num_candidates = candidates.size(0),
            .dim = anchors.size(1),
            .candidate_class = ids.data_ptr<int64_t>(),
            .class_count = counts.data_ptr<int64_t>(),
            .num_classes = counts.size(0),
            .include_self = include_self,
            .scale = scale};
  }
};

class MeanPositiveScore : public torch::autograd::Function<MeanPositiveScore> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& anchors, const Tensor& candidates,
                        ClassScores scores) {
    scores.anchors = anchors.contiguous();
    scores.candidates = candidates.contiguous();
    ctx->save_for_backward({scores.anchors, scores.candidates, scores.ids, scores.counts});
    ctx->saved_data["offset"] = scores.offset;
    ctx->saved_data["include_self"] = scores.include_self;
    ctx->saved_data["scale"] = scores.scale;
    ctx->saved_data["both"] = anchors.is_same(candidates);
    const auto values = torch::empty({anchors.size(0)}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(anchors.scalar_type(), "mean_positive_score", [&] {
      kernel::class_mean_scores<scalar_t>(scores.rows<scalar_t>(), values.data_ptr<double>());
    });
    return values.to(anchors.scalar_type());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    if (torch::GradMode::is_enabled()) fail("the mean positive score has no second derivative");
    const auto saved = ctx->get_saved_variables();
    const ClassScores scores{.anchors = saved[0],
                             .candidates = saved[1],
                             .ids = saved[2],
                             .counts = saved[3],
                             .offset = ctx->saved_data["offset"].toInt(),
                             .include_self = ctx->saved_data["include_self"].toBool(),
                             .scale = ctx->saved_data["scale"].toDouble()};
    const auto gradient = grads[0].to(torch::kFloat64).contiguous();
    const auto d_anchors = torch::zeros_like(scores.anchors);
    const bool both = ctx->saved_data["both"].toBool();
    const auto d_candidates = both ? d_anchors : torch::zeros_like(scores.candidates);
    AT_DISPATCH_FLOATING_TYPES(d_anchors.scalar_type(), "mean_positive_score_gradient", [&] {
      kernel::class_mean_score_gradient<scalar_t>(
          scores.rows<scalar_t>(), gradient.data_ptr<double>(), d_anchors.data_ptr<scalar_t>(),
          d_candidates.data_ptr<scalar_t>());
    });
    return {d_anchors, both ? Tensor() : d_candidates, {}};
  }
};

}  // namespace

Tensor mean_positive_score(const GroupedBatch& batch, double temperature,
                           const PositiveOptions& options) {
  const auto& all = batch.candidates;
  if (pair_engine(batch.anchors) == PairEngine::kTiles) {
    return MeanPositiveScore::apply(batch.anchors, options.detach ? all.rows.detach() : all.rows,
                                    ClassScores{.ids = all.groups.ids.contiguous(),
                                                .counts = all.groups.counts.contiguous(),
                                                .offset = all.anchor_offset,
                                                .include_self = options.include_self,
                                                .scale = 1 / temperature});
  }
  const auto centroids = projection::anchor_centroids(all, options.include_self);  // [N, D]
  return (batch.anchors * (options.detach ? centroids.detach() : centroids)).sum(/*dim=*/1) /
         temperature;
}

}  // namespace projnce::loss
