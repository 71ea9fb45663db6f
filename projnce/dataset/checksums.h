#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/digest.h"

namespace projnce::dataset {

/// A file as distributed by the authors of a dataset.
struct OfficialFile {
  const char* dataset;
  const char* name;
  const char* folder;  ///< folder within the extracted archive; "" for the root
  uint64_t bytes;      ///< 0 if unknown
  io::DigestKind kind;
  const char* digest;
};

/// Files with known digests. Datasets may share file names: MNIST and Fashion-MNIST do.
std::span<const OfficialFile> official_files();

enum class OfficialMatch {
  kMatches,  ///< identical to the official file
  kDiffers,  ///< official name, but other content: a subset, a part or another archive
  kCorrupt,  ///< official size, but other content; or unreadable
  kUnknown,  ///< an archive without a known digest
};

struct ChecksumVerdict {
  std::string file;  ///< printable
  OfficialMatch match;
  std::string sentence;  ///< describes the result and names the file
};

/// Compares a file, or the files in a folder, with the official files of the same names. Files of a
/// different size are not read. Returns nothing for a folder without official names and for a file
/// that is neither official nor an archive. `on_bytes` receives the number of bytes read since its
/// last call; it may throw to cancel.
std::vector<ChecksumVerdict> check_official_files(
    const std::filesystem::path& root, const std::function<void(uint64_t)>& on_bytes = {},
    std::span<const OfficialFile> known = official_files());

/// Number of bytes that `check_official_files` will read.
uint64_t official_bytes(const std::filesystem::path& root,
                        std::span<const OfficialFile> known = official_files());

/// "matches", "differs", "corrupt" or "unknown"
const char* match_name(OfficialMatch match);

}  // namespace projnce::dataset
