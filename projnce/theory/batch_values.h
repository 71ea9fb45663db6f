#pragma once

#include <torch/types.h>

#include "projnce/information/mi_bounds.h"

namespace projnce {

// What losses and bounds make of one batch, as the experiments compare them. None of the loss
// values is a lower bound on I(Z;C) in general.

/// Pair form on the whole batch with uniform priors.
BoundResult batch_pair_bound(const LabeledRows& rows, int64_t num_classes, double temperature);

/// log(N-1) - SupCon, SupCon being the mean over the anchors that have positives, 0 if none has.
double log_rows_minus_supcon(const LabeledRows& rows, double temperature);

/// 1 + log N - self-p - R with all sums as the paper prints them: the anchor is one of its own
/// positives, in its centroid and in R.
double letter_of_the_paper(const LabeledRows& rows, double temperature);

/// 1 + log(N-1) - self-p - R without the anchor's row in any sum: what this project used to call a
/// bound. R is weighted by the class counts of the batch.
struct LeaveOneOutValue {
  double value = 0;
  double ratio = 0;  ///< R with batch counts
};
LeaveOneOutValue leave_one_out_value(const LabeledRows& rows, double temperature);

/// log N - L with one vector for each class, which `class_vectors` [M, D] gives.
double log_rows_minus_class_loss(const LabeledRows& rows, const torch::Tensor& class_vectors,
                                 double temperature);

}  // namespace projnce
