#include "projnce/loss/sum_of_transform.h"

#include <torch/autograd.h>
#include <torch/types.h>

#include "projnce/kernel/sum_of_transform.h"
#include "projnce/loss/pair_engine.h"

namespace projnce::loss {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kMinusInfinity = -1e30;  // of the kernels

kernel::PairTransform kernel_transform(const Transform& transform) {
  return {.set = transform.negatives ? kernel::kNegativeSet : kernel::kPositiveSet,
          .q = transform.q,
          .shift = transform.shift};
}

Tensor kernel_offset(const Tensor& offset, const PairOperands& pairs) {
  return offset.to(pairs.anchors.scalar_type()).clamp_min(kMinusInfinity).contiguous();
}

/// Rows sorted by class if anchors and candidates are the same rows and positives are summed: the
/// kernel then skips tiles without positives. Otherwise nothing changes.
struct SortedPairs {
  PairOperands pairs;
  Tensor order;  // undefined if the order did not change

  SortedPairs(const PairOperands& unsorted, const Transform& transform) : pairs(unsorted) {
    pairs.symmetric = false;  // a transform is summed for the row's role only
    if (!unsorted.symmetric || transform.negatives) {
      pairs = contiguous(pairs);
      return;
    }
    order = torch::argsort(unsorted.anchor_class, /*stable=*/true, /*dim=*/0);
    pairs.anchors = unsorted.anchors.index_select(0, order);
    pairs.anchor_class = unsorted.anchor_class.index_select(0, order);
    pairs.candidates = pairs.anchors;
    pairs.candidate_class = pairs.anchor_class;
  }
  Tensor sorted(const Tensor& rows) const {
    return order.defined() ? rows.index_select(0, order) : rows;
  }
  Tensor unsorted(const Tensor& rows) const {
    if (!order.defined() || !rows.defined()) return rows;
    return torch::empty_like(rows).index_copy_(0, order, rows);
  }
};

class SumOfTransform : public torch::autograd::Function<SumOfTransform> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& anchors, const Tensor& candidates,
                        const Tensor& offset, PairOperands pairs, const Transform& transform) {
    pairs.anchors = anchors;
    pairs.candidates = candidates;
    save_pairs(ctx, pairs, offset);
    ctx->saved_data["negatives"] = transform.negatives;
    ctx->saved_data["q"] = transform.q;
    ctx->saved_data["shift"] = transform.shift;
    if (pair_engine(anchors) == PairEngine::kChunks) {
      return chunked_sum_of_transform(pairs, transform, offset).to(anchors.scalar_type());
    }
    const SortedPairs sorted(pairs, transform);
    const auto offsets = sorted.sorted(kernel_offset(offset, pairs));
    const auto sums = torch::empty({pairs.num_anchors()}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(anchors.scalar_type(), "sum_of_transform", [&] {
      kernel::sum_of_transform<scalar_t>(kernel_rows<scalar_t>(sorted.pairs),
                                         kernel_transform(transform), offsets.data_ptr<scalar_t>(),
                                         sums.data_ptr<double>());
    });
    return sorted.unsorted(sums).to(anchors.scalar_type());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto [pairs, offset, engine] = load_pairs(ctx);
    const Transform transform{.negatives = ctx->saved_data["negatives"].toBool(),
                              .q = ctx->saved_data["q"].toDouble(),
                              .shift = ctx->saved_data["shift"].toDouble()};
    const auto gradients =
        engine == PairEngine::kTiles
            ? tiled_backward(pairs, transform, offset, grads[0])
            : chunked_sum_of_transform_backward(pairs, transform, offset, grads[0]);
    return {
        gradients.anchors, gradients.candidates, gradients.offset.to(offset.scalar_type()), {}, {}};
  }

 private:
  static PairGradients tiled_backward(const PairOperands& pairs, const Transform& transform,
                                      const Tensor& offset, const Tensor& grad) {
    const SortedPairs sorted(pairs, transform);
    const auto offsets = sorted.sorted(kernel_offset(offset, pairs));
    const auto gradient = sorted.sorted(grad.to(torch::kFloat64)).contiguous();
    const auto d_offset = torch::zeros_like(gradient);
    const auto rows =
        AT_DISPATCH_FLOATING_TYPES(pairs.anchors.scalar_type(), "sum_of_transform_backward", [&] {
          const PairGradientMemory<scalar_t> memory(sorted.pairs);
          kernel::sum_of_transform_backward<scalar_t>(
              kernel_rows<scalar_t>(sorted.pairs), kernel_transform(transform),
              offsets.data_ptr<scalar_t>(), gradient.data_ptr<double>(), memory.rows(),
              d_offset.data_ptr<double>());
          return memory.tensors(pairs.anchors.size(1));
        });
    return {sorted.unsorted(rows.anchors), sorted.unsorted(rows.candidates),
            sorted.unsorted(d_offset)};
  }
};

}  // namespace

Tensor sum_of_transform(const PairOperands& pairs, const Transform& transform,
                        const Tensor& offset) {
  TORCH_CHECK(pairs.split(), "a transform is summed over positives or negatives: pass classes");
  return SumOfTransform::apply(pairs.anchors, pairs.candidates, offset, pairs, transform);
}

Tensor mean_of_transform(const GroupedBatch& batch, double temperature, const Transform& transform,
                         const Tensor& offset) {
  const auto count =
      transform.negatives ? batch.remaining(Exclude::kSameClass) : batch.class_size - 1;
  const auto& z = batch.candidates.rows;
  const auto sum = SumOfTransform::apply(
      batch.anchors, z, offset, pair_operands(batch, z, temperature, /*split=*/true), transform);
  return sum / count.clamp_min(1).to(sum.scalar_type());
}

}  // namespace projnce::loss
