#pragma once

#include <cstdint>
#include <string_view>

namespace projnce {

/// CRC-32C (Castagnoli), the checksum of TensorFlow's records.
uint32_t crc32c(std::string_view bytes);

}  // namespace projnce
