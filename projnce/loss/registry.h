#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/loss/loss.h"
#include "projnce/projection/registry.h"

namespace projnce {

/// Sizes of a loss with parameters (class vectors, classifier).
struct LossShape {
  int64_t num_classes = 0;    ///< C
  int64_t embedding_dim = 0;  ///< D
  int64_t feature_dim = 0;    ///< F
};

/// The loss called `name`, with the options in the rest of the table; adds defaults to the table.
/// `load_matrix` reads the files that a configuration names (projection `fixed`); without it, one
/// that names a file is an Error.
LossPtr make_loss(Table& table, const LossShape& shape, const MatrixLoader& load_matrix = {});

/// The names that make_loss knows.
std::vector<std::string> loss_names();

}  // namespace projnce
