#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::io {

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

/// Reads the JSON header of a file with `data_bytes` bytes behind it. Strict: throws for a
/// duplicate name or key, an unknown or missing field, a rank above kSafetensorsMaxRank, a number
/// that is not a whole one from 0 to 2^64 - 1, and tensors that do not cover the data exactly, each
/// byte once.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& origin);

/// The header as JSON, padded with spaces so that the data begins at a multiple of 64 bytes.
/// Throws for a name or metadata that is not UTF-8.
std::string format_safetensors_header(const SafetensorsHeader& header, const std::string& origin);

}  // namespace projnce::io
