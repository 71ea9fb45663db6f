#pragma once

#include "projnce/kernel/pair_gradient.h"
#include "projnce/kernel/pair_rows.h"

namespace projnce {

/// log sum_j e^{score_ij} over each set of candidates of each anchor, minus infinity where a set is
/// empty, NaN where a row is not finite. No score is stored: memory is that of a few tiles and a
/// packed copy of the candidates. Tiles of a symmetric problem serve both of their blocks, with one
/// exponential for both where all scores are known to fit a common shift.
template <class T>
void pair_mass(const PairRows<T>& rows, double* const (&log_mass)[kPairSets]);

/// Adds sum over anchors and sets of gradient_i * d log_mass_i to the rows' gradients, from
/// what pair_mass() gave. Scores are computed again.
template <class T>
void pair_mass_gradient(const PairRows<T>& rows, const double* const (&log_mass)[kPairSets],
                        const double* const (&gradient)[kPairSets], const GradientRows<T>& out);

}  // namespace projnce
