#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "projnce/checkpoint/tensor_file.h"

namespace projnce::checkpoint {

/// "a, b, c and 12 more": another architecture differs in hundreds of names.
std::string first_names(const std::vector<std::string>& names);

/// Collects what does not fit between stored tensors and those that they are for, and says it in
/// one sentence.
class Mismatches {
 public:
  void missing(const std::string& name) { missing_.push_back(name); }
  void unexpected(const std::string& name) { unexpected_.push_back(name); }
  void wrong_shape(const std::string& name, const torch::Tensor& found,
                   const torch::Tensor& expected);
  void wrong_type(const std::string& name, const torch::Tensor& found,
                  const torch::Tensor& expected);

  /// "missing a, b; wrong shape c [2] instead of [3]", or nothing where everything fits.
  std::string text() const;

 private:
  std::vector<std::string> missing_;
  std::vector<std::string> unexpected_;
  std::vector<std::string> shape_;
  std::vector<std::string> type_;
};

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

}  // namespace projnce::checkpoint
