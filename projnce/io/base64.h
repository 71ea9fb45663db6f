#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace projnce {

/// The bytes as text for data: addresses: four characters for three bytes, '=' at the end, no line
/// breaks.
std::string base64(std::span<const uint8_t> bytes);

}  // namespace projnce
