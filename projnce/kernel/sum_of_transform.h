#pragma once

#include "projnce/kernel/pair_tiles.h"
#include "projnce/kernel/transform_tile.h"

namespace projnce::kernel {

/// Computes sum_j f(log(e^{score_ij} + e^{offset_i})) over one set of candidates of each anchor,
/// [num_anchors]. An offset <= -1e30 stands for -inf. Requires classes; `symmetric` is not
/// exploited. Tiles without positives are skipped if only positives are summed, so rows sorted by
/// class cost a fraction of all pairs.
template <class T>
void sum_of_transform(const PairRows<T>& rows, const PairTransform& transform, const T* offset,
                      double* sum);

/// Adds sum_i gradient_i * d sum_i to the gradients of the rows and to d_offset [num_anchors].
template <class T>
void sum_of_transform_backward(const PairRows<T>& rows, const PairTransform& transform,
                               const T* offset, const double* gradient, const GradientRows<T>& out,
                               double* d_offset);

}  // namespace projnce::kernel
