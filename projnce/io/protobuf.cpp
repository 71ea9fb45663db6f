#include "projnce/io/protobuf.h"

#include <bit>

namespace projnce::io {

namespace {

enum class WireType : uint32_t { kVarint = 0, kEightBytes = 1, kLength = 2, kFourBytes = 5 };

uint64_t proto_key(uint32_t field, WireType type) {
  return uint64_t{field} << 3 | static_cast<uint32_t>(type);
}

}  // namespace

void ProtoMessage::varint(uint64_t value) {
  for (; value >= 0x80U; value >>= 7) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
  bytes_ += static_cast<char>(value);
}

ProtoMessage& ProtoMessage::whole(uint32_t field, int64_t value) {
  varint(proto_key(field, WireType::kVarint));
  varint(static_cast<uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::single(uint32_t field, float value) {
  varint(proto_key(field, WireType::kFourBytes));
  append_little_endian(bytes_, std::bit_cast<uint32_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::real(uint32_t field, double value) {
  varint(proto_key(field, WireType::kEightBytes));
  append_little_endian(bytes_, std::bit_cast<uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::text(uint32_t field, std::string_view value) {
  opening(field, value.size());
  bytes_ += value;
  return *this;
}

ProtoMessage& ProtoMessage::message(uint32_t field, const ProtoMessage& value) {
  return text(field, value.bytes_);
}

ProtoMessage& ProtoMessage::opening(uint32_t field, uint64_t size) {
  varint(proto_key(field, WireType::kLength));
  varint(size);
  return *this;
}

}  // namespace projnce::io
