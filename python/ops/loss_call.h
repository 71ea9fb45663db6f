#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/types.h>

#include <map>
#include <string>

#include "projnce/core/table.h"
#include "projnce/loss/contrastive_loss.h"

namespace projnce::ops {

/// The arguments of one call of an operator, sorted by what they are: tensors by name, and options
/// as a table that the losses' own readers read. An argument that is None is absent.
struct LossCall {
  std::map<std::string, torch::Tensor> tensors;
  int64_t anchor_offset = 0;
  bool normalize = false;
  bool with_parts = false;  ///< of the loss, for logs
  Table options;

  /// Takes the arguments off the stack.
  LossCall(const c10::FunctionSchema& schema, torch::jit::Stack& stack);

  /// Throws unless all tensors are dense and on one device.
  void check_tensors() const;

  /// Undefined where it is absent.
  torch::Tensor tensor(const std::string& name) const;

  /// Rows as the losses take them. Features are [N, D], or [B, V, ...] for V views of B samples:
  /// their rows are then B * V, labels and instances stand for samples, and instances that are not
  /// given number the samples.
  ContrastiveBatch batch() const;
};

}  // namespace projnce::ops
