#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "projnce/projection/class_groups.h"

namespace projnce::projection {

/// The rows that anchors are compared with, grouped by class. The anchors themselves are rows
/// anchor_offset .. anchor_offset + num_anchors - 1 of them.
struct CandidateRows {
  torch::Tensor rows;         // [M, D]
  ClassGroups groups;         // of the M rows
  int64_t anchor_offset = 0;  ///< the row that is anchor 0
  int64_t num_anchors = 0;    ///< N
  torch::Tensor soft_labels =
      {};  // [M, C], p(class | row) if the caller knows it; may be undefined

  /// M.
  int64_t size() const { return rows.size(0); }
  /// The rows that are anchors, [N, D].
  torch::Tensor anchor_rows() const { return rows.narrow(0, anchor_offset, num_anchors); }
  /// Their class numbers, [N].
  torch::Tensor anchor_ids() const { return groups.ids.narrow(0, anchor_offset, num_anchors); }
};

/// The vectors g(c) of one batch. They depend on the class alone, [K, D] in the order of
/// `groups.labels`, or differ from row to row, [M, D]. Floating-point fields have the type of the
/// batch's rows (half precision arrives as float32); all are dense tensors on the rows' device,
/// with any strides. A loss throws an Error for everything else, and is NaN if a vector is not
/// finite.
struct Projected {
  torch::Tensor vectors;  // [K, D], or [M, D] if per_row
  bool per_row = false;   ///< which of the two `vectors` are
  /// [N, D]: the vector of each anchor's class for that anchor, if it differs from `vectors` (an
  /// anchor left out of its centroid); undefined otherwise.
  torch::Tensor positive = {};
  /// [K], bool: false for a class whose anchors have no positive vector; undefined: all have one.
  torch::Tensor has_positive = {};
  /// True if `vectors` are the candidates themselves (`sample`): a loss that scales class vectors
  /// to unit length leaves them as they are.
  bool is_sample = false;
};

/// A map from classes to vectors in the space of the embeddings: g+ or g- of a contrastive loss.
/// To add one, derive a class, implement `project`, and add a line to the registry. Parameters that
/// are registered with the module are trained with the encoder.
class Projection : public torch::nn::Module {
 public:
  /// The vectors for these rows; gradients flow through them unless they are detached.
  virtual Projected project(const CandidateRows& candidates) = 0;
};

/// Projections are shared, as LibTorch's modules are.
using ProjectionPtr = std::shared_ptr<Projection>;

}  // namespace projnce::projection
