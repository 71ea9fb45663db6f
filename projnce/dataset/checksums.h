#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "projnce/io/digest.h"

namespace projnce::dataset {

/// A file as the makers of a dataset hand it out.
struct OfficialFile {
  const char* dataset;
  const char* name;
  const char* folder;  ///< that it is in when the archive is unpacked; "" for the root itself
  uint64_t bytes;      ///< 0 where it is not known
  io::DigestKind kind;
  const char* digest;
};

/// Those whose digests are known. Datasets may share names: MNIST and Fashion-MNIST do.
std::span<const OfficialFile> official_files();

enum class OfficialMatch {
  kMatches,  ///< the official file, bit for bit
  kDiffers,  ///< another content under an official name: a subset, a part, another packing
  kDamaged,  ///< of the official size, but with other bytes; or not to be read at all
  kUnknown,  ///< an archive for whose name no digest is known
};

struct ChecksumVerdict {
  std::string file;  ///< printable
  OfficialMatch match;
  std::string sentence;  ///< names the file and says what was found
};

/// Compares what lies at `root` with the official files of the same names: an archive or other file
/// itself, of a folder the files in it. One that has another size than the official one is not
/// read. A folder without such files gives nothing, nor does a file that is no archive.
/// `on_bytes` is told how many bytes were read since it was last called; it may throw to stop.
std::vector<ChecksumVerdict> check_official_files(
    const std::filesystem::path& root, const std::function<void(uint64_t)>& on_bytes = {},
    std::span<const OfficialFile> known = official_files());

/// The bytes that `check_official_files` is going to read.
uint64_t official_bytes(const std::filesystem::path& root,
                        std::span<const OfficialFile> known = official_files());

/// "matches", "differs", "damaged" or "unknown"
const char* match_name(OfficialMatch match);

}  // namespace projnce::dataset
