#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

/// Guarantee against power failure.
enum class Durability {
  kSync,    ///< data is synced to disk before the rename
  kNoSync,  ///< no sync; the file may be torn. For files that are verified on reading
};

/// Writes a file atomically: the bytes go to a temporary file next to the target, and `commit()`
/// renames it over the target after syncing it to disk. Until then, and on any failure, the
/// previous target is unchanged.
///
/// The temporary file is called `.NAME.tmp.PID`; `remove_stale_temporaries` removes those left by
/// killed processes. A target that is a symbolic link is followed. A target that is a device, pipe
/// or directory is rejected, because renaming would replace it.
///
/// At most one AtomicFile per target at a time; different targets may be written from different
/// threads. Every failure throws an Error (ErrorKind::kRuntime) with the path and the system error.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the temporary file unless committed.
  ~AtomicFile();

  /// Preallocates `bytes` of disk space, so that a full disk is detected before writing.
  void reserve(uint64_t bytes);
  void write(std::span<const std::byte> bytes);
  void commit(Durability durability = Durability::kSync);

 private:
  void open_temporary();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  FileDescriptor file_;
  uint64_t reserved_ = 0;
  uint64_t written_ = 0;
};

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Durability durability = Durability::kSync);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Removes temporary files in `directory` whose writers no longer run, and returns their paths. An
/// unreadable directory is treated as empty. REQUIRES: only processes of this host write there,
/// since process ids are not valid across hosts.
std::vector<std::filesystem::path> remove_stale_temporaries(const std::filesystem::path& directory);

/// An append-only file that tolerates a full disk: bytes that could not be written are buffered and
/// written by later calls. Call `append` from one thread only.
class AppendFile {
 public:
  /// Appends after the first `length` bytes of `file`. `name` is used in messages.
  AppendFile(FileDescriptor file, int64_t length, std::string name, Logger logger);

  void append(std::string_view bytes);
  /// Length of the file, including buffered bytes.
  int64_t bytes() const { return written_ + static_cast<int64_t>(unwritten_.size()); }
  /// Whether some bytes are still buffered.
  bool is_behind() const { return !unwritten_.empty(); }

  /// Syncs the written bytes to disk; may run concurrently with `append`. Throws on failure.
  void sync() const;

 private:
  void write_out();

  std::string name_;
  Logger logger_;
  FileDescriptor file_;
  int64_t written_;
  std::string unwritten_;
};

}  // namespace projnce::io
