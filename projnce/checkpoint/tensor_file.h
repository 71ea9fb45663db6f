#pragma once

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

}  // namespace projnce::checkpoint
