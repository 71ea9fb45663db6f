#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "projnce/projection/class_groups.h"

namespace projnce::projection {

/// The rows that anchors are compared with, grouped by class. The anchors are the rows
/// anchor_offset .. anchor_offset + num_anchors - 1.
struct CandidateRows {
  torch::Tensor rows;              // [M, D]
  ClassGroups groups;              // of the M rows
  int64_t anchor_offset = 0;       ///< row of anchor 0
  int64_t num_anchors = 0;         ///< N
  torch::Tensor soft_labels = {};  // [M, C], p(class | row); undefined if unknown

  /// M.
  int64_t size() const { return rows.size(0); }
  /// The rows that are anchors, [N, D].
  torch::Tensor anchor_rows() const { return rows.narrow(0, anchor_offset, num_anchors); }
  /// Their class numbers, [N].
  torch::Tensor anchor_ids() const { return groups.ids.narrow(0, anchor_offset, num_anchors); }
};

/// The vectors g(c) of one batch: one for each class, [K, D] in the order of `groups.labels`, or
/// one for each row, [M, D]. Floating-point fields have the type of the batch's rows (half
/// precision is converted to float32 before). All fields are dense tensors on the device of the
/// rows, with any strides. A loss throws an Error otherwise, and is NaN if a vector is not finite.
struct Projected {
  torch::Tensor vectors;  // [K, D], or [M, D] if per_row
  bool per_row = false;   ///< if true, one vector for each row
  /// [N, D]: the vector of each anchor's class if it depends on the anchor (a centroid without the
  /// anchor); undefined: as in `vectors`.
  torch::Tensor positive = {};
  /// [K], bool: false for a class whose anchors have no positive vector; undefined: all have one.
  torch::Tensor has_positive = {};
  /// If true, `vectors` are the candidates themselves (`sample`), which losses with unit class
  /// vectors do not scale.
  bool is_sample = false;
};

/// Maps classes to vectors in the embedding space: g+ or g- of a contrastive loss. To add a
/// projection, derive a class, implement `project`, and add a line to the registry. Parameters
/// registered with the module are trained with the encoder.
class Projection : public torch::nn::Module {
 public:
  /// The vectors for these rows; gradients flow through them unless they are detached.
  virtual Projected project(const CandidateRows& candidates) = 0;
};

/// Shared ownership, like LibTorch's module holders.
using ProjectionPtr = std::shared_ptr<Projection>;

}  // namespace projnce::projection
