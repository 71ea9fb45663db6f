#pragma once

#include <ATen/core/ivalue.h>
#include <torch/types.h>

#include <array>
#include <cstdint>

#include "projnce/loss/loss.h"

namespace projnce::ops {

/// Places of the tensors in the schema of a loss over rows. Other losses use the first two.
enum Slot : size_t {
  kFeatures,
  kLabels,
  kInstances,
  kCandidates,
  kCandidateLabels,
  kCandidateInstances,
  kExtra,   ///< class_vectors, soft_labels or pos
  kExtra2,  ///< class_priors or neg
  kSlots,
};

/// The arguments of one call of a loss. Tensors that the caller did not give are undefined; those
/// of half precision are float32 already.
struct LossCall {
  std::array<torch::Tensor, kSlots> tensors = {};
  int64_t anchor_offset = 0;
  bool normalize = false;
  loss::Reduction reduction = loss::Reduction::kMean;
  bool with_parts = false;
  const c10::IValue* options = nullptr;  ///< the first scalar that NAME_options has prepared

  /// Rows as the losses take them. Features are [N, D], or [B, V, ...] for V views of B samples:
  /// their rows are then B * V, and labels and instances stand for samples.
  loss::ContrastiveBatch batch() const;

  /// The same; instances that are not given number the samples of [B, V, ...].
  loss::ContrastiveBatch batch_of_views() const;

  /// The same for a loss that needs instances. `loss` begins the error if there are none.
  loss::ContrastiveBatch batch_with_instances(const char* loss) const;

  /// `entries` of candidates, given for each sample or each view, for each row of the batch.
  torch::Tensor for_each_candidate(const torch::Tensor& entries, const char* what) const;
};

}  // namespace projnce::ops
