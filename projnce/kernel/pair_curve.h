#pragma once

#include "projnce/kernel/curve_tile.h"
#include "projnce/kernel/pair_gradient.h"
#include "projnce/kernel/pair_rows.h"

namespace projnce {

/// sum_j c(log(e^{score_ij} + e^{level_i})) over one set of candidates of each anchor,
/// [num_anchors]. A level of -1e30 or less stands for minus infinity. Needs classes; a symmetric
/// problem is treated like any other. Tiles without positives are passed over where they are what
/// is summed: rows that are sorted by class then cost but a share of all pairs.
template <class T>
void pair_curve(const PairRows<T>& rows, const PairCurve& curve, const T* level, double* sum);

/// Adds sum_i gradient_i * d sum_i to the rows' gradients, and to d_level [num_anchors].
template <class T>
void pair_curve_gradient(const PairRows<T>& rows, const PairCurve& curve, const T* level,
                         const double* gradient, const GradientRows<T>& out, double* d_level);

}  // namespace projnce
