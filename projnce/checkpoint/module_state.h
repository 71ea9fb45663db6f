#pragma once

#include <torch/nn/module.h>

#include <string>

#include "projnce/checkpoint/tensor_file.h"

namespace projnce {

/// The module's parameters and buffers, each as `prefix` + its dotted name
/// ("encoder." + "layer1.0.conv1.weight"). They share the module's memory: clone them before the
/// module goes on training while they are written.
NamedTensors named_state(const torch::nn::Module& module, const std::string& prefix);

/// Appends `more` to `tensors`.
void append(NamedTensors& tensors, const NamedTensors& more);

/// Copies the tensors of `file` into `targets` of the same names, in place: devices, memory formats
/// and everyone who shares the tensors stay as they are. First compares names, shapes and types;
/// where any differs it throws one Error that lists what is missing, unexpected or different, and
/// all targets are unchanged.
void restore_tensors(const NamedTensors& targets, const TensorFile& file);

}  // namespace projnce
