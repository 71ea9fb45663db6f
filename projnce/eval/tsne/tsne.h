#pragma once

#include <torch/types.h>

#include "projnce/eval/tsne/tsne_options.h"

namespace projnce {

/// A map and how good it is.
struct TsneResult {
  torch::Tensor positions;  // [N, 2], float32, on the CPU, the mean 0
  /// KL divergence of the map from the affinities. Its sum over all pairs comes from the tree, with
  /// theta = 0 it is exact.
  double divergence;
  double perplexity;   ///< that was used
  int64_t iterations;  ///< fewer than asked for where `progress` ended it
};

/// A map of rows [N, D] in the plane in which near rows are near (t-SNE; van der Maaten and Hinton,
/// 2008, with the tree of Barnes and Hut). Affinities by Euclidean distances from the exact nearest
/// neighbours; steps as in scikit-learn, but a map cannot collapse (map_spread.h). The same bits
/// for the same rows, options and instruction set, whatever the threads. O(N^2 D) for the
/// neighbours, O(N log N) for an iteration. Throws where a number is not finite and where an option
/// is out of range.
TsneResult tsne(const torch::Tensor& rows, const TsneOptions& options,
                const TsneProgress& progress = {});

/// KL divergence of any map, positions [N, 2], from the affinities of rows: how good it is,
/// exactly. The perplexity is as in TsneOptions.
double tsne_divergence(const torch::Tensor& rows, const torch::Tensor& positions,
                       double perplexity);

}  // namespace projnce
