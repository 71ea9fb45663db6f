#pragma once

#include <filesystem>
#include <optional>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

/// Restricts a directory to a single writer with a lock on the file `path`, which records its
/// owner. The system releases the lock when the process ends; the file remains and is harmless.
class FileLock {
 public:
  /// Throws (ErrorKind::kInput) with the owner's process id and host if another process holds the
  /// lock. On file systems without locks, the file only records the last writer.
  explicit FileLock(const std::filesystem::path& path);

 private:
  FileDescriptor file_;
};

/// Returns whether the process recorded in the lock file is running; std::nullopt if none is
/// recorded or it belongs to another host. Does not interfere with the lock.
std::optional<bool> is_lock_owner_alive(const std::filesystem::path& path);

}  // namespace projnce::io
