#include "projnce/eval/tsne/tsne_options.h"

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"

namespace projnce {

double effective_perplexity(double perplexity, int64_t rows) {
  constexpr double kDefaultPerplexity = 30;
  if (perplexity != 0) return perplexity;
  return std::clamp(static_cast<double>(rows - 1) / 3, 1.0, kDefaultPerplexity);
}

void check_tsne_options(const TsneOptions& options, int64_t rows) {
  constexpr int64_t kFewestRows = 4;  // that leaves a perplexity of 1
  if (rows < kFewestRows) fail("t-SNE: ", rows, " rows, expected at least ", kFewestRows);
  const double largest = static_cast<double>(rows - 1) / 3;
  const double perplexity = effective_perplexity(options.perplexity, rows);
  if (!(perplexity >= 1 && perplexity <= largest)) {
    const double offered = std::floor(largest * 100) / 100;
    fail(Hint{concat("the largest perplexity for ", rows, " rows is ", offered)},
         "t-SNE: the perplexity is ", perplexity, ", expected 1 to ", offered);
  }
  if (options.iterations < 0 || options.exaggeration_iterations < 0) {
    fail("t-SNE: ", options.iterations, " iterations and ", options.exaggeration_iterations,
         " with exaggeration, expected none or more");
  }
  if (!(options.exaggeration >= 1 && std::isfinite(options.exaggeration))) {
    fail("t-SNE: the exaggeration is ", options.exaggeration, ", expected at least 1");
  }
  if (!(options.learning_rate >= 0 && std::isfinite(options.learning_rate))) {
    fail("t-SNE: the learning rate is ", options.learning_rate,
         ", expected a positive number, or 0 for an automatic one");
  }
  if (!(options.theta >= 0 && options.theta <= 1)) {
    fail("t-SNE: theta is ", options.theta, ", expected 0 (exact) to 1 (coarse)");
  }
}

}  // namespace projnce
