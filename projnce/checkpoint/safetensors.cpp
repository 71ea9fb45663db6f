#include "projnce/checkpoint/safetensors.h"

#include <array>

#include "projnce/core/error.h"
#include "projnce/io/byte_view.h"

namespace projnce {

namespace {

struct TypeRow {
  std::string_view name;
  uint64_t bytes;
};

/// In the order of StoredType.
constexpr std::array kTypes = {
    TypeRow{"BOOL", 1}, TypeRow{"U8", 1},  TypeRow{"I8", 1},   TypeRow{"I16", 2}, TypeRow{"I32", 4},
    TypeRow{"I64", 8},  TypeRow{"F16", 2}, TypeRow{"BF16", 2}, TypeRow{"F32", 4}, TypeRow{"F64", 8},
};

}  // namespace

std::string_view stored_type_name(StoredType type) {
  return kTypes.at(static_cast<size_t>(type)).name;
}

uint64_t stored_type_bytes(StoredType type) {
  return kTypes.at(static_cast<size_t>(type)).bytes;
}

StoredType stored_type(std::string_view name, const std::string& origin) {
  std::string known;
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<StoredType>(i);
    known += concat(i > 0 ? ", " : "", kTypes[i].name);
  }
  fail(origin, " holds a tensor of type '", name, "', expected one of ", known);
}

uint64_t stored_bytes(StoredType type, const std::vector<uint64_t>& shape,
                      const std::string& origin) {
  const auto bytes = array_bytes(stored_type_bytes(type), shape);
  if (!bytes) fail(origin, " holds a tensor of more bytes than 63 bits can count");
  return *bytes;
}

}  // namespace projnce
