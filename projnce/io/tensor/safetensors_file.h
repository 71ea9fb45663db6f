#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/tensor/safetensors.h"

namespace projnce::io {

/// Whether a file must carry our checksum. One that is there is always verified.
enum class Integrity {
  kRequired,  ///< our own files
  kOptional,  ///< weights from other programs
};

/// A checked file; `header` does not list the checksum's tensor.
struct SafetensorsView {
  SafetensorsHeader header;
  std::span<const std::byte> data;

  std::span<const std::byte> bytes(const StoredTensor& tensor) const {
    return data.subspan(tensor.begin, tensor.end - tensor.begin);
  }
};

/// Checks the whole file before it returns; `origin` names it in messages. Throws an Error for
/// whatever is not as the format says. REQUIRES: the bytes stay alive as long as the view.
SafetensorsView parse_safetensors(std::span<const std::byte> file, Integrity integrity,
                                  const std::string& origin);

/// A tensor to be written; `data` is in C order and stays the caller's.
struct TensorBytes {
  std::string name;
  StoredType type = StoredType::kF32;
  std::vector<uint64_t> shape;
  std::span<const std::byte> data;
};

/// What stands behind the tensors.
enum class Checksum {
  kAppended,  ///< ours, as one tensor more: projnce notices damage
  kNone,      ///< nothing: programs that want exactly the tensors they know take the file
};

/// Writes a safetensors file, atomically; any safetensors program reads it. The header keeps the
/// order given. Throws, before it writes anything, for a duplicate or reserved
/// name and for data that is not of the shape's size.
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorBytes>& tensors,
                       const std::map<std::string, std::string>& metadata,
                       Checksum checksum = Checksum::kAppended);

}  // namespace projnce::io
