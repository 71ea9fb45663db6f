#pragma once

#include <torch/types.h>

#include "projnce/information/mi_bounds.h"

namespace projnce::theory {

// Values of one batch that the experiments compare. Only the pair form is certified: none of the
// values that losses give is a lower bound on I(Z;C) in general.

/// Pair form on the whole batch with uniform priors.
information::BoundResult batch_pair_bound(const information::LabeledRows& rows, int64_t num_classes,
                                          double temperature);

/// log(N-1) - SupCon, SupCon being the mean over the anchors that have positives, 0 if none has.
double log_rows_minus_supcon(const information::LabeledRows& rows, double temperature);

/// 1 + log N - self-p - R with the sums that the paper prints: the anchor is one of its own
/// positives and part of its centroid in R.
double paper_value(const information::LabeledRows& rows, double temperature);

/// 1 + log(N-1) - self-p - R without the anchor's row in any sum. Other views of the anchor's
/// sample stay, and R is weighted by the class counts of the batch, so the value is not certified.
struct LeaveRowOutValue {
  double value = 0;
  double ratio = 0;  ///< R weighted by batch counts
};
/// Computes it.
LeaveRowOutValue leave_row_out_value(const information::LabeledRows& rows, double temperature);

/// log N - L with one vector for each class, which `class_vectors` [M, D] gives.
double log_rows_minus_class_loss(const information::LabeledRows& rows,
                                 const torch::Tensor& class_vectors, double temperature);

}  // namespace projnce::theory
