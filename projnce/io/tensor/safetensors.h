#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace projnce::io {

/// The safetensors container: the length of a JSON header (8 bytes, little-endian), the header,
/// then the tensor data without gaps. `docs/file_formats.md` describes it and the checksum that
/// projnce adds.

/// Supported element types; others are rejected.
enum class StoredType { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kBF16, kF32, kF64 };

/// Returns the name used in the header, such as "F32".
std::string_view stored_type_name(StoredType type);
/// Throws for unsupported names; `origin` names the file in the message.
StoredType stored_type(std::string_view name, const std::string& origin);
uint64_t stored_type_bytes(StoredType type);

/// One tensor; `begin` and `end` are byte offsets relative to the end of the header.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::kF32;
  std::vector<uint64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in header order, not data order
  std::map<std::string, std::string> metadata;
};

/// Size in bytes of a tensor of this shape; throws if it exceeds 63 bits.
uint64_t stored_bytes(StoredType type, const std::vector<uint64_t>& shape,
                      const std::string& origin);

/// The checksum is stored as the last tensor: the magic, then XXH3-128 of all preceding bytes, low
/// half first.
inline constexpr std::string_view kIntegrityName = "~integrity";
inline constexpr std::string_view kIntegrityMagic = "PNCKSUM1";
inline constexpr size_t kIntegrityBytes = 24;

/// The only header entry that is not a tensor but an object of strings.
inline constexpr std::string_view kMetadataName = "__metadata__";

inline constexpr size_t kHeaderLengthBytes = 8;
inline constexpr uint64_t kSafetensorsMaxHeaderBytes = uint64_t{16} << 20;
inline constexpr size_t kSafetensorsMaxRank = 8;

/// Parses the JSON header of a file with `data_bytes` bytes of tensor data. Throws for duplicate
/// names or keys, unknown or missing fields, a rank above kSafetensorsMaxRank, numbers that are not
/// integers in [0, 2^64 - 1], and tensors that do not cover the data exactly once.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& origin);

/// Formats the header as JSON, padded with spaces so that the data starts at a multiple of 64
/// bytes. Throws if a name or metadata value is not UTF-8.
std::string format_safetensors_header(const SafetensorsHeader& header, const std::string& origin);

}  // namespace projnce::io
