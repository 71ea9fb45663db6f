#include <torch/types.h>

#include "projnce/kernel/pair_curve.h"
#include "projnce/kernel/pair_mass.h"
#include "projnce/loss/pair_engine.h"

namespace projnce {

namespace {

constexpr double kMinusInfinity = -1e30;  // what the kernel takes for it

/// `pairs` in the layout that the kernels read.
PairOperands contiguous(PairOperands pairs) {
  pairs.anchors = pairs.anchors.contiguous();
  pairs.candidates = pairs.symmetric ? pairs.anchors : pairs.candidates.contiguous();
  if (pairs.bias.defined()) pairs.bias = pairs.bias.to(pairs.anchors.scalar_type()).contiguous();
  if (pairs.split()) {
    pairs.anchor_class = pairs.anchor_class.contiguous();
    pairs.candidate_class = pairs.candidate_class.contiguous();
  }
  return pairs;
}

/// REQUIRES: contiguous tensors, which outlive the result.
template <class T>
PairRows<T> rows_of(const PairOperands& pairs) {
  PairRows<T> rows{.anchors = pairs.anchors.data_ptr<T>(),
                   .num_anchors = pairs.num_anchors(),
                   .candidates = pairs.candidates.data_ptr<T>(),
                   .num_candidates = pairs.num_candidates(),
                   .dim = pairs.anchors.size(1),
                   .scale = pairs.scale,
                   .self = pairs.self.value_or(PairRows<T>::kNobody),
                   .symmetric = pairs.symmetric};
  if (pairs.split()) {
    rows.anchor_class = pairs.anchor_class.data_ptr<int64_t>();
    rows.candidate_class = pairs.candidate_class.data_ptr<int64_t>();
  }
  if (pairs.bias.defined()) rows.bias = pairs.bias.data_ptr<T>();
  return rows;
}

/// Zeros for the kernels to add to, and their view without padding.
template <class T>
struct GradientMemory {
  torch::Tensor padded;

  explicit GradientMemory(const torch::Tensor& like)
      : padded(torch::zeros({like.size(0), gradient_stride<T>(like.size(1))}, like.options())) {}
  T* data() const { return padded.data_ptr<T>(); }
  torch::Tensor rows(int64_t dim) const { return padded.narrow(1, 0, dim); }
};

template <class T>
struct PairGradientMemory {
  GradientMemory<T> anchors;
  std::optional<GradientMemory<T>> candidates;

  explicit PairGradientMemory(const PairOperands& pairs) : anchors(pairs.anchors) {
    if (!pairs.symmetric) candidates.emplace(pairs.candidates);
  }
  GradientRows<T> rows() const {
    return {anchors.data(), candidates ? candidates->data() : nullptr};
  }
  PairGradients tensors(int64_t dim) const {
    return {anchors.rows(dim), candidates ? candidates->rows(dim) : torch::Tensor()};
  }
};

double* set_row(const torch::Tensor& by_set, int64_t set) {
  return set < by_set.size(0) ? by_set.data_ptr<double>() + set * by_set.size(1) : nullptr;
}

template <class T>
PairGradients mass_gradients_of(const PairOperands& pairs, const torch::Tensor& masses,
                                const torch::Tensor& gradient) {
  const PairGradientMemory<T> memory(pairs);
  pair_mass_gradient<T>(rows_of<T>(pairs), {set_row(masses, 0), set_row(masses, 1)},
                        {set_row(gradient, 0), set_row(gradient, 1)}, memory.rows());
  return memory.tensors(pairs.anchors.size(1));
}

PairCurve kernel_curve(const CurveSum& curve) {
  return {.set = curve.negatives ? kNegativeSet : kPositiveSet, .q = curve.q, .shift = curve.shift};
}

torch::Tensor kernel_level(const torch::Tensor& level, const PairOperands& pairs) {
  return level.to(pairs.anchors.scalar_type()).clamp_min(kMinusInfinity).contiguous();
}

/// Rows sorted by class, where anchors and candidates are the same rows: tiles without positives
/// can then be left out. Elsewhere nothing changes.
struct SortedPairs {
  PairOperands pairs;
  torch::Tensor order;  // undefined where nothing was moved

  SortedPairs(const PairOperands& unsorted, const CurveSum& curve) : pairs(unsorted) {
    pairs.symmetric = false;  // a curve looks at the anchor's role alone
    if (!unsorted.symmetric || curve.negatives) {
      pairs = contiguous(pairs);
      return;
    }
    order = torch::argsort(unsorted.anchor_class, /*stable=*/true, /*dim=*/0);
    pairs.anchors = unsorted.anchors.index_select(0, order);
    pairs.anchor_class = unsorted.anchor_class.index_select(0, order);
    pairs.candidates = pairs.anchors;
    pairs.candidate_class = pairs.anchor_class;
  }
  torch::Tensor sorted(const torch::Tensor& rows) const {
    return order.defined() ? rows.index_select(0, order) : rows;
  }
  torch::Tensor unsorted(const torch::Tensor& rows) const {
    if (!order.defined() || !rows.defined()) return rows;
    return torch::empty_like(rows).index_copy_(0, order, rows);
  }
};

template <class T>
PairGradients curve_gradients_of(const SortedPairs& sorted, const CurveSum& curve,
                                 const torch::Tensor& level, const torch::Tensor& gradient) {
  const PairGradientMemory<T> memory(sorted.pairs);
  const auto d_level = torch::zeros_like(gradient);
  pair_curve_gradient<T>(rows_of<T>(sorted.pairs), kernel_curve(curve), level.data_ptr<T>(),
                         gradient.data_ptr<double>(), memory.rows(), d_level.data_ptr<double>());
  auto gradients = memory.tensors(sorted.pairs.anchors.size(1));
  gradients.level = d_level;
  return gradients;
}

class TiledPairSums : public PairSums {
 public:
  torch::Tensor masses(const PairOperands& pairs) const override {
    const auto dense = contiguous(pairs);
    const auto masses = torch::empty({pairs.num_sets(), pairs.num_anchors()}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(pairs.anchors.scalar_type(), "pair_mass", [&] {
      pair_mass<scalar_t>(rows_of<scalar_t>(dense), {set_row(masses, 0), set_row(masses, 1)});
    });
    return masses;
  }

  PairGradients mass_gradients(const PairOperands& pairs, const torch::Tensor& masses,
                               const torch::Tensor& gradient) const override {
    const auto dense = contiguous(pairs);
    const auto weights = gradient.to(torch::kFloat64).contiguous();
    return AT_DISPATCH_FLOATING_TYPES(pairs.anchors.scalar_type(), "pair_mass_gradient", [&] {
      return mass_gradients_of<scalar_t>(dense, masses, weights);
    });
  }

  torch::Tensor curve_sum(const PairOperands& pairs, const CurveSum& curve,
                          const torch::Tensor& level) const override {
    const SortedPairs sorted(pairs, curve);
    const auto levels = sorted.sorted(kernel_level(level, pairs));
    const auto sums = torch::empty({pairs.num_anchors()}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(pairs.anchors.scalar_type(), "pair_curve", [&] {
      pair_curve<scalar_t>(rows_of<scalar_t>(sorted.pairs), kernel_curve(curve),
                           levels.data_ptr<scalar_t>(), sums.data_ptr<double>());
    });
    return sorted.unsorted(sums);
  }

  PairGradients curve_gradients(const PairOperands& pairs, const CurveSum& curve,
                                const torch::Tensor& level,
                                const torch::Tensor& gradient) const override {
    const SortedPairs sorted(pairs, curve);
    const auto levels = sorted.sorted(kernel_level(level, pairs));
    const auto weights = sorted.sorted(gradient.to(torch::kFloat64)).contiguous();
    const auto found = AT_DISPATCH_FLOATING_TYPES(
        pairs.anchors.scalar_type(), "pair_curve_gradient",
        [&] { return curve_gradients_of<scalar_t>(sorted, curve, levels, weights); });
    return {sorted.unsorted(found.anchors), sorted.unsorted(found.candidates),
            sorted.unsorted(found.level)};
  }
};

}  // namespace

const PairSums& tiled_pair_sums() {
  static const TiledPairSums sums;
  return sums;
}

}  // namespace projnce
