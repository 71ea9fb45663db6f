#pragma once

#include <cstdint>
#include <limits>

namespace projnce {

/// Anchors, and the candidates that each is compared with. The score of a pair is
/// scale * (anchor . candidate) + bias of the candidate.
template <class T>
struct PairRows {
  static constexpr int64_t kNobody = std::numeric_limits<int64_t>::min() / 2;

  const T* anchors;  ///< [num_anchors, dim]
  int64_t num_anchors;
  const T* candidates;  ///< [num_candidates, dim]
  int64_t num_candidates;
  int64_t dim;
  double scale;
  /// Candidate that is anchor 0 itself, anchor 1 being the next: never a pair.
  int64_t self = kNobody;
  const int64_t* anchor_class = nullptr;     ///< [num_anchors]; both or neither
  const int64_t* candidate_class = nullptr;  ///< [num_candidates]
  const T* bias = nullptr;                   ///< [num_candidates]
  /// The candidates are the anchors, in value and gradient: each tile serves both of its blocks.
  bool symmetric = false;

  bool split() const { return anchor_class != nullptr; }
};

}  // namespace projnce
