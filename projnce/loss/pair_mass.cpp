#include "projnce/loss/pair_mass.h"

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "projnce/core/error.h"
#include "projnce/loss/pair_engine.h"

namespace projnce {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const PairSums& sums_of(bool tiles) {
  return tiles ? tiled_pair_sums() : chunked_pair_sums();
}

bool uses_tiles(const Tensor& rows) {
  return pair_engine(rows) == PairEngine::kTiles;
}

void save_pairs(AutogradContext* ctx, const PairOperands& pairs, const Tensor& last) {
  ctx->save_for_backward({pairs.anchors, pairs.candidates, pairs.anchor_class,
                          pairs.candidate_class, pairs.bias, last});
  ctx->saved_data["scale"] = pairs.scale;
  ctx->saved_data["self"] = pairs.self ? c10::IValue(*pairs.self) : c10::IValue();
  ctx->saved_data["symmetric"] = pairs.symmetric;
  ctx->saved_data["tiles"] = uses_tiles(pairs.anchors);
}

struct SavedPairs {
  PairOperands pairs;
  Tensor last;
  const PairSums& sums;  // those of forward
};

SavedPairs saved_pairs(AutogradContext* ctx) {
  if (torch::GradMode::is_enabled()) fail("sums over pairs have no second derivative");
  const auto saved = ctx->get_saved_variables();
  auto& data = ctx->saved_data;
  PairOperands pairs{.anchors = saved[0],
                     .candidates = saved[1],
                     .scale = data["scale"].toDouble(),
                     .anchor_class = saved[2],
                     .candidate_class = saved[3],
                     .bias = saved[4],
                     .symmetric = data["symmetric"].toBool()};
  if (!data["self"].isNone()) pairs.self = data["self"].toInt();
  return {pairs, saved[5], sums_of(data["tiles"].toBool())};
}

/// The tensors that gradients flow to are arguments of their own, because autograd looks there.
class LogMasses : public torch::autograd::Function<LogMasses> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& anchors, const Tensor& candidates,
                        PairOperands pairs) {
    pairs.anchors = anchors;
    pairs.candidates = candidates;
    const auto masses = sums_of(uses_tiles(anchors)).masses(pairs);
    save_pairs(ctx, pairs, masses);
    return masses.to(anchors.scalar_type());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto [pairs, masses, sums] = saved_pairs(ctx);
    const auto gradients = sums.mass_gradients(pairs, masses, grads[0]);
    return {gradients.anchors, gradients.candidates, {}};
  }
};

class CurveSums : public torch::autograd::Function<CurveSums> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& anchors, const Tensor& candidates,
                        const Tensor& level, PairOperands pairs, const CurveSum& curve) {
    pairs.anchors = anchors;
    pairs.candidates = candidates;
    save_pairs(ctx, pairs, level);
    ctx->saved_data["negatives"] = curve.negatives;
    ctx->saved_data["q"] = curve.q;
    ctx->saved_data["shift"] = curve.shift;
    const auto values = sums_of(uses_tiles(anchors)).curve_sum(pairs, curve, level);
    return values.to(anchors.scalar_type());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto [pairs, level, sums] = saved_pairs(ctx);
    const CurveSum curve{.negatives = ctx->saved_data["negatives"].toBool(),
                         .q = ctx->saved_data["q"].toDouble(),
                         .shift = ctx->saved_data["shift"].toDouble()};
    const auto gradients = sums.curve_gradients(pairs, curve, level, grads[0]);
    return {
        gradients.anchors, gradients.candidates, gradients.level.to(level.scalar_type()), {}, {}};
  }
};

}  // namespace

Tensor log_masses(const PairOperands& pairs) {
  return LogMasses::apply(pairs.anchors, pairs.candidates, pairs);
}

Tensor curve_sum(const PairOperands& pairs, const CurveSum& curve, const Tensor& level) {
  TORCH_CHECK(pairs.split(), "a curve is summed over positives or negatives: classes are missing");
  return CurveSums::apply(pairs.anchors, pairs.candidates, level, pairs, curve);
}

}  // namespace projnce
