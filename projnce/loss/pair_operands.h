#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

namespace projnce {

/// Anchors and the candidates they are compared with: s_ij = z_i . v_j * scale + bias_j.
struct PairOperands {
  torch::Tensor anchors;     // [N, D]
  torch::Tensor candidates;  // [M, D]
  double scale = 1;
  /// Class numbers: candidates of the anchor's class are its positives, all others its negatives.
  /// Both undefined: all candidates are one set.
  torch::Tensor anchor_class = {};     // [N], int64
  torch::Tensor candidate_class = {};  // [M], int64
  torch::Tensor bias = {};             // [M], constant; undefined: 0
  /// Candidate that is anchor 0 itself, anchor 1 being the next; such a pair never counts.
  std::optional<int64_t> self = {};
  /// The candidates are the anchors, value and gradient.
  bool symmetric = false;

  bool split() const { return anchor_class.defined(); }
  int64_t num_anchors() const { return anchors.size(0); }
  int64_t num_candidates() const { return candidates.size(0); }
  int64_t num_sets() const { return split() ? 2 : 1; }
};

/// What is summed over one set of candidates of each anchor: a curve over
/// m = log(e^{s_ij} + e^{level_i}).
struct CurveSum {
  bool negatives = false;  ///< else over positives
  /// 0: m itself; above: (e^{q (m + shift)} - 1) / q.
  double q = 0;
  double shift = 0;
};

/// In the symmetric case `anchors` holds the sum of both roles and `candidates` is undefined.
struct PairGradients {
  torch::Tensor anchors;     // [N, D]
  torch::Tensor candidates;  // [M, D]
  torch::Tensor level = {};  // [N], of a curve
};

}  // namespace projnce
