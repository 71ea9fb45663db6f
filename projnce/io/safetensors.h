#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace projnce {

/// The safetensors container: the length of a JSON header (8 bytes, little-endian), the header,
/// then the tensors' bytes without gaps. `docs/file_formats.md` describes it and our checksum.

/// The element types that we read and write; the format has others, which are refused.
enum class StoredType { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kBF16, kF32, kF64 };

/// "F32", as the header spells it.
std::string_view stored_type_name(StoredType type);
/// Throws for a name that is not one of ours; `origin` names the file in the message.
StoredType stored_type(std::string_view name, const std::string& origin);
uint64_t stored_type_bytes(StoredType type);

/// One tensor: where its bytes lie, counted from the end of the header.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::kF32;
  std::vector<uint64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the header's order, not the bytes'
  std::map<std::string, std::string> metadata;
};

/// The bytes of a tensor of this shape; throws where 63 bits cannot count them.
uint64_t stored_bytes(StoredType type, const std::vector<uint64_t>& shape,
                      const std::string& origin);

/// The checksum is the last tensor of a file: the magic, then XXH3-128 of every byte before it, low
/// half first.
inline constexpr std::string_view kIntegrityName = "~integrity";
inline constexpr std::string_view kIntegrityMagic = "PNCKSUM1";
inline constexpr size_t kIntegrityBytes = 24;

/// The one entry of the header that is no tensor but an object of strings.
inline constexpr std::string_view kMetadataName = "__metadata__";

inline constexpr size_t kHeaderLengthBytes = 8;
inline constexpr uint64_t kSafetensorsMaxHeaderBytes = uint64_t{16} << 20;
inline constexpr size_t kSafetensorsMaxRank = 8;

}  // namespace projnce
