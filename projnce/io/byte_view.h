#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace projnce {

// What every reader of a binary format needs; none of it trusts what was read.

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The unsigned number in these bytes, eight at most, lowest first.
inline uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | std::to_integer<uint64_t>(bytes[i - 1]);
  }
  return number;
}

/// The bytes of an array; none where 63 bits (tensors count with a sign) cannot hold their number.
/// Every product is checked, also beside a zero: others may multiply in another order.
inline std::optional<uint64_t> array_bytes(uint64_t element_bytes,
                                           const std::vector<uint64_t>& shape) {
  auto bytes = static_cast<int64_t>(element_bytes);
  bool empty = false;
  for (const uint64_t size : shape) {
    empty = empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes)) return {};
  }
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

}  // namespace projnce
