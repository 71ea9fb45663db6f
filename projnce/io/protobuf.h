#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace projnce::io {

/// Encodes a message in the Protocol Buffers wire format, field by field:
/// `ProtoMessage().text(1, "loss").single(2, 0.5F).bytes()`. Fields are written in call order.
class ProtoMessage {
 public:
  /// int32, int64 and enum fields; negative numbers take ten bytes, as the format specifies.
  ProtoMessage& whole(uint32_t field, int64_t value);
  ProtoMessage& single(uint32_t field, float value);
  ProtoMessage& real(uint32_t field, double value);
  /// string and bytes fields. For a string field, `value` must be UTF-8.
  ProtoMessage& text(uint32_t field, std::string_view value);
  ProtoMessage& message(uint32_t field, const ProtoMessage& value);
  /// Writes the key and length of a string, bytes or message field whose `size` bytes the caller
  /// writes directly after this message. Nothing may be added afterwards.
  ProtoMessage& opening(uint32_t field, uint64_t size);

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value);

  std::string bytes_;
};

/// Appends the value in little-endian byte order.
template <class Unsigned>
void append_little_endian(std::string& bytes, Unsigned value) {
  for (size_t i = 0; i < sizeof(value); ++i) {
    bytes += static_cast<char>(static_cast<uint64_t>(value) >> 8 * i & 0xFFU);
  }
}

}  // namespace projnce::io
