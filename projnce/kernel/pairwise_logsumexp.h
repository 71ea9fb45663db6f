#pragma once

#include "projnce/kernel/pair_tiles.h"

namespace projnce::kernel {

/// Computes log sum_j e^{score_ij} over each set of candidates of each anchor: -inf for an empty
/// set, NaN if a row is not finite. Scores are not stored: memory is a few tiles per thread and a
/// packed copy of the candidates. A symmetric problem visits each unordered pair of blocks once,
/// with one exponential for both roles, if all scores fit a common shift.
template <class T>
void pairwise_logsumexp(const PairRows<T>& rows, double* const (&result)[kPairSets]);

/// Adds the sum over anchors and sets of gradient_i * d logsumexp_i to the gradients of the rows,
/// given the result of pairwise_logsumexp(). Recomputes the scores.
template <class T>
void pairwise_logsumexp_backward(const PairRows<T>& rows,
                                 const double* const (&logsumexp)[kPairSets],
                                 const double* const (&gradient)[kPairSets],
                                 const GradientRows<T>& out);

}  // namespace projnce::kernel
