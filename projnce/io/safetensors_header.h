#pragma once

#include <string>
#include <string_view>

#include "projnce/io/safetensors.h"

namespace projnce {

/// Reads the JSON header of a file with `data_bytes` bytes behind it. Strict: throws for a
/// duplicate name or key, an unknown or missing field, a rank above kSafetensorsMaxRank, a number
/// that is not a whole one from 0 to 2^64 - 1, and tensors that do not cover the data exactly, each
/// byte once.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& origin);

/// The header as JSON, padded with spaces so that the data begins at a multiple of 64 bytes.
/// Throws for a name or metadata that is not UTF-8.
std::string format_safetensors_header(const SafetensorsHeader& header, const std::string& origin);

}  // namespace projnce
