#pragma once

#include <cstring>
#include <string>

#include "projnce/io/tensor/safetensors_file.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"

namespace projnce::testing {

/// Builds a file with an arbitrary header and data, without checksum.
inline std::string raw_file(const std::string& json, size_t data_bytes) {
  const uint64_t length = json.size();
  std::string file(sizeof(length), '\0');
  std::memcpy(file.data(), &length, sizeof(length));
  return file + json + std::string(data_bytes, '\0');
}

/// Returns the error message of parsing `file`, or "nothing was wrong".
inline std::string parse_error_of(const std::string& file, io::Integrity integrity) {
  return error_message_of(
      [&] { io::parse_safetensors(bytes_of(file), integrity, "x.safetensors"); });
}

}  // namespace projnce::testing
