#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "projnce/io/safetensors.h"

namespace projnce {

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

}  // namespace projnce
