#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"

namespace projnce::checkpoint {

/// Joins the first names, as in "a, b, c and 12 more". Another architecture differs in hundreds.
std::string first_names(const std::vector<std::string>& names);

/// Collects the differences between stored tensors and their targets for one error message.
class Mismatches {
 public:
  void missing(const std::string& name) { missing_.push_back(name); }
  void unexpected(const std::string& name) { unexpected_.push_back(name); }
  void wrong_shape(const std::string& name, const torch::Tensor& found,
                   const torch::Tensor& expected);
  void wrong_type(const std::string& name, const torch::Tensor& found,
                  const torch::Tensor& expected);

  /// Returns "missing a, b; wrong shape c [2] instead of [3]", or an empty string if all fit.
  std::string text() const;

 private:
  std::vector<std::string> missing_;
  std::vector<std::string> unexpected_;
  std::vector<std::string> shape_;
  std::vector<std::string> type_;
};

/// Returns the module's parameters and buffers, each named `prefix` + its dotted name
/// ("encoder." + "layer1.0.conv1.weight"). They share the module's memory: clone them if the module
/// is trained while they are written.
NamedTensors named_state(const torch::nn::Module& module, const std::string& prefix);

/// Appends `more` to `tensors`.
void append(NamedTensors& tensors, const NamedTensors& more);

/// Copies the tensors of `file` into `targets` of the same names, in place: devices, memory formats
/// and sharing are preserved. Names, shapes and types are compared first; if any differ, throws one
/// Error that lists what is missing, unexpected or different, and leaves all targets unchanged.
void restore_tensors(const NamedTensors& targets, const TensorFile& file);

}  // namespace projnce::checkpoint
