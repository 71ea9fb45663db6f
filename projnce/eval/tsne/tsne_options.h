#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace projnce {

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

}  // namespace projnce
