#pragma once

#include <string>
#include <vector>

#include "projnce/loss/contrastive_loss.h"
#include "python/ops/loss_call.h"

namespace projnce::ops {

/// One loss as an operator. Its options have the names that a configuration has, and no defaults:
/// those are the options structs' alone.
struct LossOperator {
  std::string name;
  std::string tensors;  ///< what it compares, as an operator's schema has it
  std::string options;
  /// Evaluates a call; checks the options and completes their table on the way.
  LossValue (*evaluate)(LossCall& call);
  /// Checks the options and completes their table.
  void (*read)(Table& options);
};

const std::vector<LossOperator>& loss_operators();

}  // namespace projnce::ops
