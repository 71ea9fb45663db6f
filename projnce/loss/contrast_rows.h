#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "projnce/loss/contrastive_loss.h"
#include "projnce/projection/projection.h"

namespace projnce {

/// What makes two rows positives of each other.
enum class GroupBy {
  kClass,     ///< equal labels
  kInstance,  ///< views of one sample
};

/// The anchors without any partner to be pulled to.
enum class EmptyPositives {
  kZero,  ///< contribute 0; the divisor stays the number of anchors
  kSkip,  ///< do not count: the divisor is the number of anchors with a partner
};

/// The candidates of anchor i that a sum passes over.
enum class Leave {
  kNothing,   ///< none
  kSelf,      ///< the anchor itself
  kOwnClass,  ///< all of its class
};

/// A batch that was checked and grouped: what every loss starts from.
struct ContrastRows {
  torch::Tensor anchors;            // [N, D], float32 or float64
  CandidateRows candidates;         // [M, D]
  torch::Tensor anchor_class = {};  // [N], class numbers of `candidates.groups`
  torch::Tensor own_count = {};     // [N], int64: candidates of the anchor's class, itself included
  torch::Tensor finite_zero = {};   // scalar: 0, or NaN where an anchor is not finite
  bool with_parts = true;           // of the loss, for logs
  Reduction reduction = Reduction::kMean;  ///< how losses of single anchors are combined

  /// N.
  int64_t num_anchors() const { return anchors.size(0); }
  /// M.
  int64_t num_candidates() const { return candidates.size(); }
  /// Row of each anchor among the candidates, [N].
  torch::Tensor self_index() const;
  /// Candidates that remain for each anchor, [N], int64.
  torch::Tensor remaining(Leave leave) const;
};

/// Throws a sentence that begins with `loss` where shapes, types or labels do not fit together.
/// Half precision is computed in float32.
ContrastRows contrast_rows(const ContrastiveBatch& batch, GroupBy group_by,
                           const std::string& loss);

/// Half precision as float32; all else as it is.
torch::Tensor at_least_float32(const torch::Tensor& rows);

/// A scalar of the type of `rows`: 0, or NaN if one of its numbers is not finite. Adding it to a
/// loss makes the loss NaN where the sums themselves would lose a NaN. Reads each number once.
torch::Tensor zero_if_finite(const torch::Tensor& rows);

/// sum_i w_i l_i over the anchors whose class is marked in `valid_class` [K].
///
/// With kZero w_i = 1/N; with kSkip w_i = M / (N V), V the valid rows among all M candidates. The
/// average of this over processes, weighted by their number of anchors, is the value that one
/// process would compute on the whole batch (where M = N, w_i = 1/V). No valid anchor gives a zero
/// that can still be differentiated; non-finite embeddings give NaN even then.
torch::Tensor weighted_sum(const ContrastRows& rows, const torch::Tensor& per_anchor,
                           const torch::Tensor& valid_class, EmptyPositives empty);

/// `per_anchor` [N] under the batch's reduction: weighted_sum for kMean; otherwise the values or
/// their sum, with 0 for the anchors that `valid_class` leaves unmarked.
torch::Tensor reduce_anchors(const ContrastRows& rows, const torch::Tensor& per_anchor,
                             const torch::Tensor& valid_class, EmptyPositives empty);

/// The loss whose anchors are pulled to their positives and pushed from all: reduce_anchors
/// of push - pull, both [N], with the parts alignment (of -pull), uniformity (of push),
/// valid_anchors.
LossValue pull_and_push(const ContrastRows& rows, const torch::Tensor& pull,
                        const torch::Tensor& push, const torch::Tensor& valid_class,
                        EmptyPositives empty);

/// The share of anchors whose class is marked in `valid_class` [K].
torch::Tensor valid_share(const ContrastRows& rows, const torch::Tensor& valid_class);

/// Throws unless `value` is a finite number above 0.
void check_positive(double value, const std::string& loss, const std::string& option);

}  // namespace projnce
