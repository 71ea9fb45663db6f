#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/loss/loss.h"
#include "python/ops/loss_call.h"
#include "python/ops/option_fields.h"

namespace projnce::ops {

/// A tensor that a loss takes.
struct TensorArgument {
  std::string name;
  bool optional = false;
  bool differentiable = false;
};

/// One loss as operators. Its options have the names that a configuration has, and no defaults:
/// those are the options structs' alone.
struct LossOperator {
  std::string name;
  std::vector<TensorArgument> tensors;  ///< in the order of Slot
  bool over_rows = false;               ///< followed by anchor_offset and normalize
  std::vector<OptionField> fields;      ///< scalars of the schema
  /// Options that are settled when a loss is made and that the operator does not see.
  std::vector<OptionField> construction_options;
  loss::LossValue (*evaluate)(const LossCall& call);
  /// Checks the options, completes their table, and gives the scalars of the schema.
  std::vector<c10::IValue> (*prepare)(Table& options);

  /// All that a caller may set.
  std::vector<OptionField> options() const;
};

const std::vector<LossOperator>& loss_operators();

/// The parts that a loss may have, in the order in which NAME_parts returns them.
const std::vector<std::string>& part_names();

}  // namespace projnce::ops
