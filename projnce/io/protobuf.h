#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace projnce::io {

/// A message in the wire format of Protocol Buffers, field after field:
/// `ProtoMessage().text(1, "loss").single(2, 0.5F).bytes()`. Fields stand in the order of the
/// calls.
class ProtoMessage {
 public:
  /// int32, int64 and enumerations; negative numbers take ten bytes, as the format wants it.
  ProtoMessage& whole(uint32_t field, int64_t value);
  ProtoMessage& single(uint32_t field, float value);
  ProtoMessage& real(uint32_t field, double value);
  /// Strings and bytes. Where the receiver expects a string, `value` must be UTF-8.
  ProtoMessage& text(uint32_t field, std::string_view value);
  ProtoMessage& message(uint32_t field, const ProtoMessage& value);
  /// Begins a string, bytes or a message whose `size` bytes are written elsewhere, right behind
  /// this message: nothing may be added to it any more.
  ProtoMessage& opening(uint32_t field, uint64_t size);

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value);

  std::string bytes_;
};

/// Appends the value's bytes, the lowest first, whatever the machine's order is.
template <class Unsigned>
void append_little_endian(std::string& bytes, Unsigned value) {
  for (size_t i = 0; i < sizeof(value); ++i) {
    bytes += static_cast<char>(static_cast<uint64_t>(value) >> 8 * i & 0xFFU);
  }
}

}  // namespace projnce::io
