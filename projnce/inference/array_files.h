#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace projnce::inference {

/// Reads a non-empty matrix of finite float32 or float64 values and keeps the type; converts
/// float16 to float32. Throws on anything else. The file is .npy or, if its name ends in
/// .safetensors, has a tensor `embeddings` or a single tensor.
torch::Tensor read_matrix(const std::filesystem::path& path);

/// Reads a 1-D .npy array of non-negative integers as int64.
torch::Tensor read_labels(const std::filesystem::path& path);

/// Embeddings and labels from .npy files.
struct LabeledArrays {
  torch::Tensor embeddings;              // [N, D]
  torch::Tensor labels;                  // [N], int64, in 0 .. class_names.size() - 1
  std::vector<std::string> class_names;  ///< the integer labels of the file, as text
};

/// Reads embeddings and labels. Throws unless there is one label per row. The classes are those
/// that occur or, if given, `class_names`; any other label throws.
LabeledArrays read_labeled(const std::filesystem::path& embeddings,
                           const std::filesystem::path& labels,
                           const std::vector<std::string>& class_names = {});

/// Writes a float32 or int64 tensor to a .npy file, atomically.
void write_array(const std::filesystem::path& path, const torch::Tensor& tensor);

}  // namespace projnce::inference
