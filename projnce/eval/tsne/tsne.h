#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace projnce::eval {

/// Initialization of the map.
enum class TsneStart {
  kPca,     ///< first two principal components; preserves global structure
  kRandom,  ///< normally distributed
};

/// Options of t-SNE. The defaults are scikit-learn's, except for the learning rate of the first
/// iterations.
struct TsneOptions {
  /// Effective number of neighbors, 1 .. (rows - 1) / 3; 0 = 30, or the maximum if it is less.
  double perplexity = 0;
  int64_t iterations = 1000;  ///< total number of iterations, including those with exaggeration
  /// Early exaggeration factor, at least 1.
  double exaggeration = 12;
  int64_t exaggeration_iterations = 250;  ///< number of iterations with early exaggeration
  /// Learning rate; 0 = rows / exaggeration / 4, and after the exaggeration at least rows / 20,
  /// clamped to 10 .. 50.
  double learning_rate = 0;
  /// Barnes-Hut angle, 0 .. 1; 0 = exact, at O(N^2) per iteration.
  double theta = 0.5;
  uint64_t seed = 0;                 ///< seed of kRandom
  TsneStart init = TsneStart::kPca;  ///< initialization
};

/// Progress of the optimization.
struct TsneState {
  int64_t iteration;  ///< number of completed iterations
  int64_t total;      ///< total number of iterations
  /// KL divergence; set every 50 iterations and at the end.
  std::optional<double> divergence;
};

/// Called after every iteration; returning false stops the optimization.
using TsneProgress = std::function<bool(const TsneState&)>;

/// Returns `perplexity`, or the default for this number of rows if it is 0.
double effective_perplexity(double perplexity, int64_t rows);

/// Throws if an option is out of range for this number of rows.
void check_tsne_options(const TsneOptions& options, int64_t rows);

/// Result of t-SNE.
struct TsneResult {
  torch::Tensor positions;  // [N, 2], float32, on the CPU, with mean 0
  /// KL divergence of the map from the affinities. Its normalization Z comes from the tree and is
  /// exact if theta = 0.
  double divergence;
  double perplexity;   ///< perplexity that was used
  int64_t iterations;  ///< completed iterations; fewer than requested if `progress` stopped it
};

/// Computes a two-dimensional map of rows [N, D] by Barnes-Hut t-SNE (van der Maaten and Hinton,
/// 2008; van der Maaten, 2014). Affinities use Euclidean distances to the exact nearest neighbors;
/// steps are those of scikit-learn, except that a map cannot collapse (map_descent.h).
/// Bit-identical for the same rows, options and instruction set, for any number of threads. O(N^2
/// D) for the neighbors, O(N log N) per iteration. Throws if a value is not finite or an option is
/// out of range.
TsneResult tsne(const torch::Tensor& rows, const TsneOptions& options,
                const TsneProgress& progress = {});

/// Returns the exact KL divergence of a map with positions [N, 2] from the affinities of rows.
/// `perplexity` as in TsneOptions.
double tsne_divergence(const torch::Tensor& rows, const torch::Tensor& positions,
                       double perplexity);

}  // namespace projnce::eval
