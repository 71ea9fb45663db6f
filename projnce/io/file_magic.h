#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "projnce/core/error.h"

namespace projnce::io {

/// File formats are detected by their first bytes, not by the file name.
inline bool starts_with(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char c, uint8_t byte) { return static_cast<uint8_t>(c) == byte; });
}

/// Throws if the bytes are a Git LFS pointer file. `what` is the expected content, such as "image".
inline void reject_git_lfs_pointer(std::span<const uint8_t> bytes, const std::string& name,
                                   const char* what) {
  if (!starts_with(bytes, "version https://git-lfs")) return;
  fail(Hint{"run 'git lfs pull' in the source repository"}, name, " is a Git LFS pointer, not the ",
       what, " itself");
}

/// Returns advice for converting files with this extension (lowercase, with its dot) to a supported
/// format, such as "convert to JPEG, such as with 'magick mogrify -format jpg *.heic'". Empty if
/// the extension is not a known image, audio or video extension.
std::string conversion_advice(std::string_view extension);

/// Throws if the content has a known but unsupported image format; the message names the format and
/// how to convert the file.
void reject_unsupported_image(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce::io
