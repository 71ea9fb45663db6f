#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace projnce::io {

bool is_gzip(std::span<const uint8_t> bytes);

/// Decompresses gzip data, including concatenated members. `name` is used in error messages. Throws
/// if the data is corrupt, truncated, or decompresses to more than `limit` bytes.
std::vector<uint8_t> gunzip(std::span<const uint8_t> packed, size_t limit, const std::string& name);

/// Reads a plain or gzip file, detected by content; at most `limit` bytes (decompressed).
std::vector<uint8_t> read_plain_or_gzip(const std::filesystem::path& path, size_t limit);

}  // namespace projnce::io
