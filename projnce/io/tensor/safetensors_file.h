#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/tensor/safetensors.h"

namespace projnce::io {

/// Whether a file must contain projnce's checksum. If present, it is always verified.
enum class Integrity {
  kRequired,  ///< files written by projnce
  kOptional,  ///< weights from other programs
};

/// A validated file; `header` does not list the checksum tensor.
struct SafetensorsView {
  SafetensorsHeader header;
  std::span<const std::byte> data;

  std::span<const std::byte> bytes(const StoredTensor& tensor) const {
    return data.subspan(tensor.begin, tensor.end - tensor.begin);
  }
};

/// Validates the whole file; `origin` names it in messages. Throws an Error for any violation of
/// the format. REQUIRES: the bytes outlive the view.
SafetensorsView parse_safetensors(std::span<const std::byte> file, Integrity integrity,
                                  const std::string& origin);

/// A tensor to write; `data` is in C order and is not owned.
struct TensorBytes {
  std::string name;
  StoredType type = StoredType::kF32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
};

/// Whether to append a checksum.
enum class Checksum {
  kAppended,  ///< as an additional tensor; projnce detects corruption
  kNone,      ///< for programs that reject unknown tensors
};

/// Writes a safetensors file atomically. The header keeps the given order. Throws before writing
/// anything if a name is duplicate or reserved, or if the data does not match the shape.
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorBytes>& tensors,
                       const std::map<std::string, std::string>& metadata,
                       Checksum checksum = Checksum::kAppended);

}  // namespace projnce::io
