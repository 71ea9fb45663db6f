#pragma once

#include "projnce/kernel/pair_tiles.h"
#include "projnce/kernel/transform_tile.h"

namespace projnce::kernel {

/// sum_j f(log(e^{score_ij} + e^{offset_i})) over one set of candidates of each anchor,
/// [num_anchors]. An offset of -1e30 or less stands for minus infinity. Needs classes; a symmetric
/// problem is treated like any other. Tiles without positives are skipped if positives are summed:
/// rows sorted by class then cost a fraction of all pairs.
template <class T>
void sum_of_transform(const PairRows<T>& rows, const PairTransform& transform, const T* offset,
                      double* sum);

/// Adds sum_i gradient_i * d sum_i to the rows' gradients, and to d_offset [num_anchors].
template <class T>
void sum_of_transform_backward(const PairRows<T>& rows, const PairTransform& transform,
                               const T* offset, const double* gradient, const GradientRows<T>& out,
                               double* d_offset);

}  // namespace projnce::kernel
