#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

/// The bytes as text for data: addresses: four characters for three bytes, '=' at the end, no line
/// breaks.
std::string base64(std::span<const uint8_t> bytes);

/// CRC-32C (Castagnoli), the checksum of TensorFlow's records.
uint32_t crc32c(std::string_view bytes);

enum class DigestKind { kMd5, kSha256 };

/// The digest of a file's bytes in lower-case hexadecimal digits. The file is read in blocks, up to
/// the size that it had when it was opened: one that grows meanwhile does not keep us for ever.
/// Throws where it cannot be read, became shorter, or the system's library refuses the kind (MD5,
/// where only approved digests are allowed).
/// `on_bytes` is told how many bytes were read since it was last called; it may throw to stop.
std::string file_digest(const RegularFile& file, DigestKind kind,
                        const std::function<void(uint64_t)>& on_bytes = {});

/// The 32 bytes of the digest.
std::vector<uint8_t> sha256(std::string_view bytes);

/// "MD5", "SHA-256"
const char* digest_name(DigestKind kind);

}  // namespace projnce::io
