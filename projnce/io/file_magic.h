#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "projnce/core/error.h"

namespace projnce {

/// What a file is, its first bytes say, not its name.
inline bool starts_with(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char c, uint8_t byte) { return static_cast<uint8_t>(c) == byte; });
}

/// Throws where a repository was cloned without its large files. `what` is "picture" or the like.
inline void refuse_git_lfs_pointer(std::span<const uint8_t> bytes, const std::string& name,
                                   const char* what) {
  if (!starts_with(bytes, "version https://git-lfs")) return;
  fail(Hint{"run 'git lfs pull' where the files come from"}, name,
       " is a Git LFS pointer, not the ", what, " itself");
}

}  // namespace projnce
