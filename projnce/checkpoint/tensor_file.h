#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "projnce/io/tensor/safetensors_file.h"

namespace projnce::checkpoint {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// Content of one file: named tensors and string metadata.
struct TensorFile {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  std::string origin = "the saved state";  // the file it was read from; for messages, not stored
};

/// Writes a safetensors file atomically. Tensors may be on any device and in any memory format; the
/// file stores them in C order. Supports dense tensors of float16, bfloat16, float32, float64,
/// bool, uint8 and the signed integers.
///
/// Uses no shared state, so it may run on another thread. REQUIRES: the tensors are not modified
/// meanwhile.
void save_tensors(const std::filesystem::path& path, const TensorFile& file,
                  io::Checksum checksum = io::Checksum::kAppended);

/// Reads a whole file into new CPU tensors and verifies it. Throws if the file is corrupt or was
/// written by a newer version of projnce.
TensorFile load_tensors(const std::filesystem::path& path,
                        io::Integrity integrity = io::Integrity::kRequired);

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
