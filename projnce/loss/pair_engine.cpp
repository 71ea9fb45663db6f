#include "projnce/loss/pair_engine.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "projnce/core/error.h"
#include "projnce/kernel/pair_tiles.h"

namespace projnce::loss {

namespace {

using torch::autograd::AutogradContext;

std::atomic<PairEngine>& cpu_engine() {
  static std::atomic<PairEngine> engine{PairEngine::kTiles};
  return engine;
}

template <class T>
torch::Tensor padded_zeros(const torch::Tensor& rows) {
  return torch::zeros({rows.size(0), kernel::gradient_stride<T>(rows.size(1))}, rows.options());
}

}  // namespace

PairEngine pair_engine(const torch::Tensor& rows) {
  return rows.device().is_cpu() ? cpu_engine().load() : PairEngine::kChunks;
}

ForcedPairEngine::ForcedPairEngine(PairEngine engine) : before_(cpu_engine().exchange(engine)) {}

ForcedPairEngine::~ForcedPairEngine() {
  cpu_engine().store(before_);
}

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

void save_pairs(AutogradContext* ctx, const PairOperands& pairs, const torch::Tensor& last) {
  ctx->save_for_backward({pairs.anchors, pairs.candidates, pairs.anchor_class,
                          pairs.candidate_class, pairs.bias, last});
  ctx->saved_data["scale"] = pairs.scale;
  ctx->saved_data["self"] = pairs.self ? c10::IValue(*pairs.self) : c10::IValue();
  ctx->saved_data["symmetric"] = pairs.symmetric;
  ctx->saved_data["tiles"] = pair_engine(pairs.anchors) == PairEngine::kTiles;
}

SavedPairs load_pairs(AutogradContext* ctx) {
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
  return {pairs, saved[5], data["tiles"].toBool() ? PairEngine::kTiles : PairEngine::kChunks};
}

template <class T>
kernel::PairRows<T> kernel_rows(const PairOperands& pairs) {
  kernel::PairRows<T> rows{.anchors = pairs.anchors.data_ptr<T>(),
                           .num_anchors = pairs.num_anchors(),
                           .candidates = pairs.candidates.data_ptr<T>(),
                           .num_candidates = pairs.num_candidates(),
                           .dim = pairs.anchors.size(1),
                           .scale = pairs.scale,
                           .self = pairs.self.value_or(kernel::PairRows<T>::kNoSelf),
                           .symmetric = pairs.symmetric};
  if (pairs.split()) {
    rows.anchor_class = pairs.anchor_class.data_ptr<int64_t>();
    rows.candidate_class = pairs.candidate_class.data_ptr<int64_t>();
  }
  if (pairs.bias.defined()) rows.bias = pairs.bias.data_ptr<T>();
  return rows;
}

template <class T>
PairGradientMemory<T>::PairGradientMemory(const PairOperands& pairs)
    : anchors_(padded_zeros<T>(pairs.anchors)) {
  if (!pairs.symmetric) candidates_ = padded_zeros<T>(pairs.candidates);
}

template <class T>
kernel::GradientRows<T> PairGradientMemory<T>::rows() const {
  return {anchors_.data_ptr<T>(), candidates_.defined() ? candidates_.data_ptr<T>() : nullptr};
}

template <class T>
PairGradients PairGradientMemory<T>::tensors(int64_t dim) const {
  return {anchors_.narrow(1, 0, dim),
          candidates_.defined() ? candidates_.narrow(1, 0, dim) : torch::Tensor()};
}

template kernel::PairRows<float> kernel_rows(const PairOperands&);
template kernel::PairRows<double> kernel_rows(const PairOperands&);
template class PairGradientMemory<float>;
template class PairGradientMemory<double>;

namespace {

using torch::Tensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Scores in memory at once: small enough for a CPU's last-level cache, large enough for a GPU.
constexpr int64_t kChunkScores = 1 << 22;

/// Anchors first .. first + count - 1 and their scores with all candidates.
struct Chunk {
  int64_t first;
  int64_t count;
  Tensor scores;  // [count, M]; minus infinity for an anchor with itself

  Tensor of(const Tensor& rows) const { return rows.narrow(0, first, count); }
  Tensor same_class(const PairOperands& pairs) const {
    return of(pairs.anchor_class).unsqueeze(1) == pairs.candidate_class;
  }
  /// The pairs of a set, [count, M].
  Tensor members(const PairOperands& pairs, bool negatives) const {
    const auto same = same_class(pairs);
    return (negatives ? same.logical_not() : same) & (scores != -kInfinity);
  }
};

int64_t chunk_rows(int64_t candidates) {
  return std::max<int64_t>(16, kChunkScores / std::max<int64_t>(1, candidates));
}

template <class Work>
void for_each_chunk(const PairOperands& pairs, const Work& work) {
  const int64_t step = chunk_rows(pairs.num_candidates());
  for (int64_t first = 0; first < pairs.num_anchors(); first += step) {
    Chunk chunk{first, std::min(step, pairs.num_anchors() - first), {}};
    chunk.scores = chunk.of(pairs.anchors).mm(pairs.candidates.t()).mul_(pairs.scale);
    if (pairs.bias.defined()) chunk.scores.add_(pairs.bias);
    if (pairs.self) {
      chunk.scores.narrow(1, *pairs.self + first, chunk.count).fill_diagonal_(-kInfinity);
    }
    work(chunk);
  }
}

/// Adds d loss / d score [count, M] of a chunk to the gradients of its rows.
void add_score_gradients(const PairOperands& pairs, const Chunk& chunk, const Tensor& weights,
                         PairGradients& gradients) {
  const auto rows = chunk.of(pairs.anchors);
  chunk.of(gradients.anchors).addmm_(weights, pairs.candidates, 1, pairs.scale);
  auto other = pairs.symmetric ? gradients.anchors : gradients.candidates;
  other.addmm_(weights.t(), rows, 1, pairs.scale);
}

PairGradients zero_gradients(const PairOperands& pairs) {
  return {torch::zeros_like(pairs.anchors),
          pairs.symmetric ? Tensor() : torch::zeros_like(pairs.candidates)};
}

/// The largest score of a symmetric problem if e^{score - shift} never underflows in the tensor's
/// type; 0 if it may, or if the problem is not symmetric. With a common shift one exponential
/// serves both roles of a pair, and half of the pairs are enough.
double common_shift(const PairOperands& pairs) {
  if (!pairs.symmetric || pairs.bias.defined()) return 0;
  const double bound =
      pairs.anchors.square().sum(1).max().item<double>() * pairs.scale * (1 + 1e-5);
  const double limit = pairs.anchors.scalar_type() == torch::kFloat64 ? 700 : 86;
  return 2 * bound < limit ? bound : 0;
}

/// e^{score - shift} of a chunk of anchors with the candidates from its first row on.
template <class Work>
void for_each_upper_chunk(const PairOperands& pairs, double shift, const Work& work) {
  const int64_t rows = pairs.num_anchors();
  for (int64_t first = 0; first < rows;) {
    const int64_t left = rows - first;
    Chunk chunk{first, std::min(chunk_rows(left), left), {}};
    chunk.scores = chunk.of(pairs.anchors).mm(pairs.anchors.narrow(0, first, left).t());
    chunk.scores.mul_(pairs.scale).sub_(shift).exp_();
    if (pairs.self) chunk.scores.narrow(1, 0, chunk.count).fill_diagonal_(0);
    work(chunk, left - chunk.count);
    first += chunk.count;
  }
}

Tensor same_class_above(const PairOperands& pairs, const Chunk& chunk) {
  const auto below = pairs.anchor_class.narrow(0, chunk.first, chunk.scores.size(1));
  return chunk.of(pairs.anchor_class).unsqueeze(1) == below;
}

Tensor shared_logsumexp(const PairOperands& pairs, double shift) {
  const auto sums = torch::zeros({pairs.num_sets(), pairs.num_anchors()}, pairs.anchors.options());
  const auto add = [&](const Chunk& chunk, int64_t beyond, int64_t set, const Tensor& part) {
    chunk.of(sums[set]).add_(part.sum(1));
    if (beyond == 0) return;
    sums[set]
        .narrow(0, chunk.first + chunk.count, beyond)
        .add_(part.narrow(1, chunk.count, beyond).sum(0));
  };
  for_each_upper_chunk(pairs, shift, [&](const Chunk& chunk, int64_t beyond) {
    if (!pairs.split()) return add(chunk, beyond, 0, chunk.scores);
    const auto same = same_class_above(pairs, chunk);
    add(chunk, beyond, 0, chunk.scores * same);
    add(chunk, beyond, 1, chunk.scores.masked_fill_(same, 0));
  });
  return sums.log_().add_(shift);
}

/// Sum of the weights of both roles of each pair of a chunk.
Tensor both_weights(const PairOperands& pairs, const Chunk& chunk, const Tensor& by_set) {
  const auto sum_of = [&](const Tensor& weight) {
    return chunk.of(weight).unsqueeze(1) + weight.narrow(0, chunk.first, chunk.scores.size(1));
  };
  if (!pairs.split()) return sum_of(by_set[0]);
  return torch::where(same_class_above(pairs, chunk), sum_of(by_set[0]), sum_of(by_set[1]));
}

PairGradients shared_logsumexp_backward(const PairOperands& pairs, double shift,
                                        const Tensor& result, const Tensor& gradient) {
  const auto empty = result == -kInfinity;
  const auto by_set =
      (gradient * (shift - result.masked_fill(empty, 0)).exp() * pairs.scale).masked_fill(empty, 0);
  auto gradients = zero_gradients(pairs);
  for_each_upper_chunk(pairs, shift, [&](Chunk chunk, int64_t beyond) {
    const auto weights = chunk.scores.mul_(both_weights(pairs, chunk, by_set));
    const auto others = pairs.anchors.narrow(0, chunk.first, weights.size(1));
    chunk.of(gradients.anchors).addmm_(weights, others);
    if (beyond == 0) return;
    gradients.anchors.narrow(0, chunk.first + chunk.count, beyond)
        .addmm_(weights.narrow(1, chunk.count, beyond).t(), chunk.of(pairs.anchors));
  });
  return gradients;
}

/// f(m) of m = log(e^s + e^offset) over a chunk, with its derivatives.
struct Merged {
  Tensor value;  // [count, M]
  Tensor share;  // d m / d s
  Tensor slope;  // d f / d m

  Merged(const Chunk& chunk, const Transform& transform, const Tensor& offset) {
    const auto floor = offset.unsqueeze(1);
    const auto m = torch::logaddexp(chunk.scores, floor);
    share = (chunk.scores - m).exp();
    const auto power = transform.q * (m + transform.shift);
    value = transform.q > 0 ? power.expm1() / transform.q : m;
    slope = transform.q > 0 ? power.exp() : torch::ones_like(m);
  }
};

}  // namespace

Tensor chunked_logsumexp(const PairOperands& pairs) {
  if (const double shift = common_shift(pairs); shift > 0) return shared_logsumexp(pairs, shift);
  const auto result =
      torch::empty({pairs.num_sets(), pairs.num_anchors()}, pairs.anchors.options());
  for_each_chunk(pairs, [&](const Chunk& chunk) {
    if (!pairs.split()) {
      chunk.of(result[0]).copy_(chunk.scores.logsumexp(1));
      return;
    }
    const auto same = chunk.same_class(pairs);
    chunk.of(result[0]).copy_(chunk.scores.masked_fill(~same, -kInfinity).logsumexp(1));
    chunk.of(result[1]).copy_(chunk.scores.masked_fill(same, -kInfinity).logsumexp(1));
  });
  return result;
}

PairGradients chunked_logsumexp_backward(const PairOperands& pairs, const Tensor& result,
                                         const Tensor& gradient) {
  if (const double shift = common_shift(pairs); shift > 0) {
    return shared_logsumexp_backward(pairs, shift, result, gradient);
  }
  auto gradients = zero_gradients(pairs);
  const auto empty = result == -kInfinity;
  const auto logsumexp = result.masked_fill(empty, kInfinity);  // e^{s - inf} = 0
  const auto weight = gradient.masked_fill(empty, 0);
  for_each_chunk(pairs, [&](const Chunk& chunk) {
    const auto softmax = [&](int64_t set) {
      return (chunk.scores - chunk.of(logsumexp[set]).unsqueeze(1))
          .exp_()
          .mul_(chunk.of(weight[set]).unsqueeze(1));
    };
    add_score_gradients(
        pairs, chunk,
        pairs.split() ? torch::where(chunk.same_class(pairs), softmax(0), softmax(1)) : softmax(0),
        gradients);
  });
  return gradients;
}

Tensor chunked_sum_of_transform(const PairOperands& pairs, const Transform& transform,
                                const Tensor& offset) {
  const auto sums = torch::empty({pairs.num_anchors()}, pairs.anchors.options());
  for_each_chunk(pairs, [&](const Chunk& chunk) {
    const auto members = chunk.members(pairs, transform.negatives);
    const auto value = Merged(chunk, transform, chunk.of(offset)).value;
    chunk.of(sums).copy_(value.masked_fill(~members, 0).sum(1));
  });
  return sums;
}

PairGradients chunked_sum_of_transform_backward(const PairOperands& pairs,
                                                const Transform& transform, const Tensor& offset,
                                                const Tensor& gradient) {
  auto gradients = zero_gradients(pairs);
  gradients.offset = torch::zeros_like(offset);
  for_each_chunk(pairs, [&](const Chunk& chunk) {
    const auto members = chunk.members(pairs, transform.negatives);
    const Merged merged(chunk, transform, chunk.of(offset));
    const auto slope =
        (merged.slope * chunk.of(gradient).unsqueeze(1)).masked_fill(~members, 0);  // [count, M]
    const auto by_score = (slope * merged.share).masked_fill(~members, 0);
    chunk.of(gradients.offset).copy_((slope - by_score).sum(1));
    add_score_gradients(pairs, chunk, by_score, gradients);
  });
  return gradients;
}

}  // namespace projnce::loss
