#include "projnce/io/safetensors.h"

#include <array>

#include "projnce/core/error.h"
#include "projnce/io/byte_view.h"

namespace projnce {

namespace {

struct StoredTypeRow {
  std::string_view name;
  uint64_t bytes;
};

/// In the order of StoredType.
constexpr std::array kStoredTypes = {
    StoredTypeRow{"BOOL", 1}, StoredTypeRow{"U8", 1},   StoredTypeRow{"I8", 1},
    StoredTypeRow{"I16", 2},  StoredTypeRow{"I32", 4},  StoredTypeRow{"I64", 8},
    StoredTypeRow{"F16", 2},  StoredTypeRow{"BF16", 2}, StoredTypeRow{"F32", 4},
    StoredTypeRow{"F64", 8},
};

}  // namespace

std::string_view stored_type_name(StoredType type) {
  return kStoredTypes.at(static_cast<size_t>(type)).name;
}

uint64_t stored_type_bytes(StoredType type) {
  return kStoredTypes.at(static_cast<size_t>(type)).bytes;
}

StoredType stored_type(std::string_view name, const std::string& origin) {
  std::string known;
  for (size_t i = 0; i < kStoredTypes.size(); ++i) {
    if (kStoredTypes[i].name == name) return static_cast<StoredType>(i);
    known += concat(i > 0 ? ", " : "", kStoredTypes[i].name);
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
