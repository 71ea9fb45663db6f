#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "projnce/loss/contrastive_loss.h"

namespace projnce::testing {

/// A loss with one setting of its options, and what may be asked of it.
struct Recipe {
  std::string name;
  std::function<LossValue(const ContrastiveBatch&)> evaluate;
  bool differentiable = true;  ///< gradient is that of the value: nothing is detached
  bool any_labels = true;      ///< labels may be renamed
  bool rotates = true;         ///< turning all embeddings changes nothing
  bool any_rows = true;        ///< any number of rows for each instance
};

inline void PrintTo(const Recipe& recipe, std::ostream* out) {
  *out << recipe.name;
}

/// Every loss with every option that changes its gradient.
std::vector<Recipe> all_recipes();

/// Ten unit rows in four dimensions: five instances with two views; classes 0..3, one of them with
/// a single row; soft labels over four classes. Float64.
ContrastiveBatch mixed_batch(uint64_t seed = 7);

}  // namespace projnce::testing
