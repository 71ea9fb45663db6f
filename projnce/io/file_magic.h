#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "projnce/core/error.h"

namespace projnce::io {

/// What a file is, its first bytes say, not its name.
inline bool starts_with(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char c, uint8_t byte) { return static_cast<uint8_t>(c) == byte; });
}

/// Throws where a repository was cloned without its large files. `what` is "image" or the like.
inline void refuse_git_lfs_pointer(std::span<const uint8_t> bytes, const std::string& name,
                                   const char* what) {
  if (!starts_with(bytes, "version https://git-lfs")) return;
  fail(Hint{"run 'git lfs pull' where the files come from"}, name,
       " is a Git LFS pointer, not the ", what, " itself");
}

/// How to convert files with this extension (lower case, with its dot) into a format that is read:
/// a clause such as "convert to JPEG, such as with 'magick mogrify -format jpg *.heic'". Empty
/// if the extension is not known to be that of images, sounds or videos.
std::string conversion_advice(std::string_view extension);

/// Throws a sentence that names the format and how to convert the file if its content is of a known
/// image format that is not read.
void refuse_foreign_image(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce::io
