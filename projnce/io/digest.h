#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

/// Base64 encoding with '=' padding and without line breaks, as in data: URLs.
std::string base64(std::span<const uint8_t> bytes);

/// CRC-32C (Castagnoli), the checksum of TensorFlow record files.
uint32_t crc32c(std::string_view bytes);

enum class DigestKind { kMd5, kSha256 };

/// Returns the digest of a file in lowercase hexadecimal. Reads the file in blocks, up to its size
/// at opening time, so that a growing file cannot cause an endless loop. Throws if the file cannot
/// be read, was truncated meanwhile, or if OpenSSL does not support the digest (MD5 in FIPS mode).
/// `on_bytes` receives the number of bytes read since its last call; it may throw to cancel.
std::string file_digest(const RegularFile& file, DigestKind kind,
                        const std::function<void(uint64_t)>& on_bytes = {});

/// Returns the 32 bytes of the SHA-256 digest.
std::vector<uint8_t> sha256(std::string_view bytes);

/// "MD5", "SHA-256"
const char* digest_name(DigestKind kind);

}  // namespace projnce::io
