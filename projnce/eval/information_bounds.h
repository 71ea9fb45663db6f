#pragma once

#include <torch/types.h>

namespace projnce {

/// Lower bounds on I(Z;C) in nats that samples themselves give.
struct InformationBounds {
  double projnce = 0;        ///< every row against all others, itself left out of everything
  double class_vectors = 0;  ///< rows against class vectors that other samples made
};

/// Of embeddings [N, D], brought to unit length, with labels [N] int64 in 0 .. C - 1.
/// `class_vectors` [C, D] come from other samples, NaN for a class that has none; undefined: the
/// rows are halved, and each half is measured with the centroids of the other.
InformationBounds information_bounds(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                     const torch::Tensor& class_vectors, double temperature);

}  // namespace projnce
