#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace projnce::inference {

/// Reads a .npy matrix with rows and columns of finite float32 or float64, and keeps the type;
/// float16 becomes float32.
torch::Tensor read_matrix(const std::filesystem::path& path);

/// Reads a .npy list of whole numbers, 0 or more, as int64.
torch::Tensor read_labels(const std::filesystem::path& path);

/// Embeddings and labels that any program wrote.
struct LabeledArrays {
  torch::Tensor embeddings;              // [N, D]
  torch::Tensor labels;                  // [N], int64, in 0 .. class_names.size() - 1
  std::vector<std::string> class_names;  ///< the numbers that the file gives the classes
};

/// Throws where there is not a label for each row. The classes are those that occur or, where
/// they are given, `class_names`: another label throws.
LabeledArrays read_labeled(const std::filesystem::path& embeddings,
                           const std::filesystem::path& labels,
                           const std::vector<std::string>& class_names = {});

/// Writes a tensor as a .npy file, atomically: float32 or int64.
void write_array(const std::filesystem::path& path, const torch::Tensor& tensor);

}  // namespace projnce::inference
