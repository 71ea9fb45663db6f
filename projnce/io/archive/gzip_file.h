#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace projnce::io {

bool is_gzip(std::span<const uint8_t> bytes);

/// Unpacks gzip data, several members in a row too. `name` is for error messages. Throws where the
/// data is damaged, cut short or unpacks to more than `limit` bytes.
std::vector<uint8_t> gunzip(std::span<const uint8_t> packed, size_t limit, const std::string& name);

/// The content of a plain or gzip file, told apart by content; at most `limit` bytes of it.
std::vector<uint8_t> read_plain_or_gzip(const std::filesystem::path& path, size_t limit);

}  // namespace projnce::io
