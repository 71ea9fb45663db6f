#pragma once

#include <torch/types.h>

#include "projnce/loss/grouped_batch.h"
#include "projnce/loss/loss.h"
#include "projnce/loss/projnce_perp.h"

namespace projnce::loss {

/// Prefix of error messages.
inline constexpr auto kPerpName = "projnce-perp";

// How projnce-perp computes leave_one_out = kInstance; not part of the interface.
//
// A softmax over classes whose vectors exclude the anchor's instance. With O(i) the candidates of
// other instances, q their soft labels and C_i the classes with sum_{k in O(i)} q_kc > 0:
//
//   g_c^(i) = sum_{k in O(i)} q_kc z_k / sum_{k in O(i)} q_kc,   s_ic = z_i . g_c^(i) / t
//   rho_c   = pi_c / sum_{b in C_i} pi_b,                        c in C_i
//
// The prior of kBatch is sum_{k in O(i)} q_kc / |O(i)|, the share of class c among the rows of
// O(i).

/// Terms of each anchor; l_i = logsumexp_i - positive_i.
struct LeaveOneOutTerms {
  torch::Tensor positive;   ///< s_{i,y_i}, [N]
  torch::Tensor logsumexp;  ///< log sum_{c in C_i} rho_c e^{s_ic}, [N]
  /// If y_i is in C_i, [N], bool. Other anchors have finite values without meaning.
  torch::Tensor valid;
  torch::Tensor nan_guard;  ///< scalar: 0, or NaN if a class vector is not finite
};

/// Soft labels of the candidates.
struct SoftClasses {
  torch::Tensor q;             // [M, K]
  torch::Tensor labels;        // [K], int64, on the CPU: the label of each column
  torch::Tensor anchor_class;  // [N], int64: the column of each anchor's label
};

/// The batch grouped by instance; without instances each row is one of its own.
GroupedBatch group_by_instance(ContrastiveBatch batch);

/// For one-hot labels, with `instances` from group_by_instance. All views of an instance must have
/// the same label, so that only the vector of the anchor's own class depends on the anchor: the
/// other classes are summed by the class-sum kernel. Time O(N K D), memory O((N + K) D).
LeaveOneOutTerms hard_leave_one_out(const GroupedBatch& rows, const GroupedBatch& instances,
                                    const ProjncePerpOptions& options,
                                    const torch::Tensor& class_priors);

/// For any soft labels. Computed in float64; time O(N M (D + K)), memory O(N (M + K)). With
/// normalize_g, a class vector counts as zero if its norm is below 1e-7 of the sums whose
/// difference it is.
LeaveOneOutTerms soft_leave_one_out(const GroupedBatch& rows, const GroupedBatch& instances,
                                    const SoftClasses& soft, const ProjncePerpOptions& options,
                                    const torch::Tensor& class_priors);

/// The loss l_i, 0 for anchors that are not valid, under the batch's reduction; parts alignment,
/// uniformity and valid_anchors.
LossValue leave_one_out_loss(const GroupedBatch& rows, const LeaveOneOutTerms& terms);

/// Throws an Error unless `priors` [C] are finite numbers that are not negative and sum to 1 to
/// within 1e-6.
void check_class_priors(const torch::Tensor& priors);

/// The priors [K] of the classes `labels` [K], float64, on the CPU like the labels. Throws if a
/// label is outside 0..C-1.
torch::Tensor select_class_priors(const torch::Tensor& priors, const torch::Tensor& labels);

}  // namespace projnce::loss
