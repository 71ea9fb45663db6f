#include <torch/types.h>

#include <algorithm>
#include <limits>

#include "projnce/loss/pair_engine.h"

namespace projnce::loss {

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
