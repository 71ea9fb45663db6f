#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "projnce/core/image.h"

namespace projnce::testing {

using Bytes = std::vector<uint8_t>;

/// A picture of one colour.
Image plain_image(int height, int width, const Bytes& colour);

Bytes encode_png(const Image& image);
Bytes encode_jpeg(const Image& image);
Bytes encode_idx(const std::vector<int64_t>& dims, const Bytes& values);
Bytes gzip(const Bytes& bytes);

Bytes octets_of(std::string_view text);

/// Writes the file, and the folders above it.
void write_file(const std::filesystem::path& path, const Bytes& bytes);

/// Damaged and hostile files that the project shares, unpacked into `folder`; empty where this
/// machine does not have them.
std::filesystem::path unpack_bad_files(const std::filesystem::path& folder);

}  // namespace projnce::testing
