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

/// Named tensors and strings: what one file holds.
struct TensorFile {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  std::string origin = "the saved state";  // the file it was read from; for messages, not stored
};

/// Writes a safetensors file, atomically. Tensors may lie on any device and in
/// any memory format; the file holds them in C order. Dense tensors of float16, bfloat16, float32,
/// float64, bool, uint8 and the signed integers.
///
/// Keeps no reference to anything else, so that it may run on another thread; the caller then hands
/// it tensors that nobody changes meanwhile.
void save_tensors(const std::filesystem::path& path, const TensorFile& file,
                  io::Checksum checksum = io::Checksum::kAppended);

/// Reads a whole file into new tensors on the CPU, verified before anything is returned. Throws for
/// a damaged file and for one that a newer projnce wrote.
TensorFile load_tensors(const std::filesystem::path& path,
                        io::Integrity integrity = io::Integrity::kRequired);

}  // namespace projnce::checkpoint
