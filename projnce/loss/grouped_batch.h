#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "projnce/loss/loss.h"
#include "projnce/projection/projection.h"

namespace projnce::loss {

/// Criterion for positives.
enum class GroupBy {
  kClass,     ///< equal labels
  kInstance,  ///< views of one sample
};

/// How anchors without positives count.
enum class EmptyPositives {
  kZero,  ///< contribute 0; the divisor stays the number of anchors
  kSkip,  ///< do not count: the divisor is the number of anchors with positives
};

/// The candidates of an anchor that a sum excludes.
enum class Exclude {
  kNone,       ///< none
  kSelf,       ///< the anchor itself
  kSameClass,  ///< all of its class
};

/// A validated batch, grouped by class: the input of every contrastive loss.
struct GroupedBatch {
  torch::Tensor anchors;                 // [N, D], float32 or float64
  projection::CandidateRows candidates;  // [M, D]
  torch::Tensor anchor_class = {};       // [N], class numbers of `candidates.groups`
  torch::Tensor class_size = {};         // [N], int64: candidates of the anchor's class with itself
  torch::Tensor nan_guard = {};          // scalar: 0, or NaN if an anchor is not finite
  bool with_parts = true;                // if true, parts of the loss are computed too
  Reduction reduction = Reduction::kMean;  ///< how losses of single anchors are combined

  /// N.
  int64_t num_anchors() const { return anchors.size(0); }
  /// M.
  int64_t num_candidates() const { return candidates.size(); }
  /// Row of each anchor among the candidates, [N].
  torch::Tensor self_index() const;
  /// Number of candidates of each anchor that are not excluded, [N], int64.
  torch::Tensor remaining(Exclude exclude) const;
};

/// Throws an Error that begins with `loss` if shapes, types or labels do not match.
/// Half precision is converted to float32.
GroupedBatch validate_batch(const ContrastiveBatch& batch, GroupBy group_by,
                            const std::string& loss);

/// Half precision as float32; other types unchanged.
torch::Tensor at_least_float32(const torch::Tensor& rows);

/// A scalar of the type of `rows`: 0, or NaN if a value is not finite. Adding it to a loss makes
/// the loss NaN even if its sums skip the row.
torch::Tensor nan_guard(const torch::Tensor& rows);

/// sum_i w_i l_i over the anchors whose class is marked in `valid_class` [K].
///
/// With kZero w_i = 1/N; with kSkip w_i = M / (N V), V the valid rows among all M candidates. The
/// average of this over processes, weighted by their number of anchors, is the value that one
/// process would compute on the whole batch (if M = N, w_i = 1/V). Without a valid anchor the
/// result is a differentiable zero; embeddings that are not finite give NaN even then.
torch::Tensor weighted_sum(const GroupedBatch& batch, const torch::Tensor& per_anchor,
                           const torch::Tensor& valid_class, EmptyPositives empty);

/// `per_anchor` [N] under the batch's reduction: weighted_sum for kMean; otherwise the values or
/// their sum, with 0 for the anchors that `valid_class` does not mark.
torch::Tensor reduce_anchors(const GroupedBatch& batch, const torch::Tensor& per_anchor,
                             const torch::Tensor& valid_class, EmptyPositives empty);

/// The loss l_i = -positive_i + logsumexp_i, both [N], reduced by reduce_anchors, with the parts
/// alignment (of -positive), uniformity (of logsumexp) and valid_anchors.
LossValue alignment_uniformity(const GroupedBatch& batch, const torch::Tensor& positive,
                               const torch::Tensor& logsumexp, const torch::Tensor& valid_class,
                               EmptyPositives empty);

/// Throws unless `value` is a finite number above 0.
void check_positive(double value, const std::string& loss, const std::string& option);

}  // namespace projnce::loss
