#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace projnce::eval {

/// Where points are before the first iteration.
enum class TsneStart {
  kPca,     ///< the first two principal components: keeps what is far apart apart
  kRandom,  ///< normal numbers
};

/// The defaults are scikit-learn's, except for the learning rate of the first iterations.
struct TsneOptions {
  /// Effective number of neighbors of a point: 1 .. (rows - 1) / 3. 0: 30, or the largest if less.
  double perplexity = 0;
  int64_t iterations = 1000;  ///< all of them, those with exaggeration included
  /// Pulls count this many times at first, so that clusters form before they spread: at least 1.
  double exaggeration = 12;
  int64_t exaggeration_iterations = 250;  ///< the first that many
  /// 0: rows / exaggeration / 4, and after the exaggeration at least rows / 20, 10 to 50.
  double learning_rate = 0;
  /// How coarse far points are seen, 0 .. 1: 0 sees each of them, at O(N^2) for an iteration.
  double theta = 0.5;
  uint64_t seed = 0;                 ///< of kRandom
  TsneStart init = TsneStart::kPca;  ///< the start
};

/// How far a map is.
struct TsneState {
  int64_t iteration;  ///< that many are behind us
  int64_t total;      ///< that many there will be
  /// KL divergence at this point; known every 50 iterations and at the end.
  std::optional<double> divergence;
};

/// Told after every iteration; false ends the work there, and the map is what it is by then.
using TsneProgress = std::function<bool(const TsneState&)>;

/// The perplexity of the options, or the default for this many rows if that is 0.
double effective_perplexity(double perplexity, int64_t rows);

/// Throws where an option is out of its range for so many rows.
void check_tsne_options(const TsneOptions& options, int64_t rows);

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
/// neighbors; steps as in scikit-learn, but a map cannot collapse (map_descent.h). The same bits
/// for the same rows, options and instruction set, whatever the threads. O(N^2 D) for the
/// neighbors, O(N log N) for an iteration. Throws where a number is not finite and where an option
/// is out of range.
TsneResult tsne(const torch::Tensor& rows, const TsneOptions& options,
                const TsneProgress& progress = {});

/// KL divergence of any map, positions [N, 2], from the affinities of rows: how good it is,
/// exactly. The perplexity is as in TsneOptions.
double tsne_divergence(const torch::Tensor& rows, const torch::Tensor& positions,
                       double perplexity);

}  // namespace projnce::eval
