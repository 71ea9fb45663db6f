#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "projnce/loss/grouped_batch.h"

namespace projnce::loss {

/// Anchors and the candidates they are compared with: s_ij = z_i . v_j * scale + bias_j.
struct PairOperands {
  torch::Tensor anchors;     // [N, D]
  torch::Tensor candidates;  // [M, D]
  double scale = 1;
  /// Class numbers: candidates of the anchor's class are its positives, all others its negatives.
  /// If both are undefined, all candidates are one set.
  torch::Tensor anchor_class = {};     // [N], int64
  torch::Tensor candidate_class = {};  // [M], int64
  torch::Tensor bias = {};             // [M], constant; undefined: 0
  /// Candidate that is anchor 0 itself; anchor 1 is the next one. Such a pair never counts.
  std::optional<int64_t> self = {};
  /// The candidates are the anchors, in value and gradient.
  bool symmetric = false;

  bool split() const { return anchor_class.defined(); }
  int64_t num_anchors() const { return anchors.size(0); }
  int64_t num_candidates() const { return candidates.size(0); }
  int64_t num_sets() const { return split() ? 2 : 1; }
};

/// log sum_j e^{s_ij}, [sets, N]: over positives and negatives if there are classes, else over all;
/// minus infinity over an empty set. Differentiable once by anchors and candidates. Time O(N M D),
/// memory O((N + M) D): scores are never stored, backward recomputes them.
torch::Tensor pairwise_logsumexp(const PairOperands& pairs);

/// log sum_k e^{z_i . v_k / t} over the candidates k of each anchor that are not excluded, [N]; 0
/// without gradient if none is left. `vectors` [M, D] has a row v_k for every candidate, usually
/// the candidate itself.
torch::Tensor pairwise_logsumexp(const GroupedBatch& batch, const torch::Tensor& vectors,
                                 double temperature, Exclude exclude);

/// The same over the positives and over the negatives of each anchor. The anchor itself is neither.
struct SplitLogSumExp {
  torch::Tensor positives;  // [N]
  torch::Tensor negatives;  // [N]
};
SplitLogSumExp split_logsumexp(const GroupedBatch& batch, const torch::Tensor& vectors,
                               double temperature);

/// z_i . v_i / t: the score of each anchor with its own row of `vectors` [M, D], [N].
torch::Tensor self_score(const GroupedBatch& batch, const torch::Tensor& vectors,
                         double temperature);

/// log(e^a + e^b) if `has_a`, else b; all [N].
torch::Tensor log_add(const torch::Tensor& a, const torch::Tensor& has_a, const torch::Tensor& b);

/// Scores z_i . g / t of every anchor with the vectors of a projection. If the vectors depend on
/// the class alone, a sum over candidates is a sum over classes weighted by their sizes: time
/// O(N K D), memory O((N + K) D).
class ProjectedScores {
 public:
  ProjectedScores(const GroupedBatch& batch, const projection::Projected& projected,
                  double temperature);

  /// Scores with class centroids, of which that of the anchor's class excludes the anchor unless
  /// the class has a single row. `detach`: no gradient into the centroids.
  static ProjectedScores with_leave_one_out_centroids(const GroupedBatch& batch, double temperature,
                                                      bool detach);

  /// Score of each anchor with the vector of its own class (or of its own row), [N].
  torch::Tensor positive() const { return positive_; }

  /// log sum_k e^{z_i . g_k / t} over the candidates k that are not excluded, [N]; 0 without
  /// gradient if none is left.
  torch::Tensor logsumexp(Exclude exclude) const;

 private:
  const GroupedBatch& batch_;
  double temperature_;
  torch::Tensor row_vectors_;    // [M, D]; undefined if the vectors depend on the class alone
  torch::Tensor positive_;       // [N]
  torch::Tensor other_classes_;  // [N]: logsumexp over the candidates of other classes
};

/// Implementation of sums over pairs. Both agree up to rounding; neither stores N x M values.
enum class PairEngine {
  kTiles,   ///< vectorized kernels over tiles, for tensors on the CPU
  kChunks,  ///< LibTorch operations on chunks of rows, for any device
};

/// kTiles on the CPU, unless a ForcedPairEngine overrides it; kChunks on other devices.
PairEngine pair_engine(const torch::Tensor& rows);

/// Sets the engine for CPU tensors during its lifetime, for tests and benchmarks. The setting is
/// process-wide.
class ForcedPairEngine {
 public:
  explicit ForcedPairEngine(PairEngine engine);
  ~ForcedPairEngine();
  ForcedPairEngine(const ForcedPairEngine&) = delete;
  ForcedPairEngine& operator=(const ForcedPairEngine&) = delete;

 private:
  PairEngine before_;
};

}  // namespace projnce::loss
