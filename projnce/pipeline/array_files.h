#pragma once

#include <torch/types.h>

#include <filesystem>

namespace projnce {

/// Reads a .npy matrix of floats; throws where it is none.
torch::Tensor read_matrix(const std::filesystem::path& path);

/// Writes a tensor as a .npy file, atomically: float32 or int64.
void write_array(const std::filesystem::path& path, const torch::Tensor& tensor);

}  // namespace projnce
