#pragma once

#include <filesystem>
#include <optional>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

/// Keeps a directory to one writer: a lock on the file `path`, which names its owner. The system
/// gives it up when the process ends, however that happens; the file then stays and means nothing.
class FileLock {
 public:
  /// Throws (Fault::kInput) with the owner's process number and host where another process holds
  /// it. Where the file system knows no locks, the file only says who wrote last.
  explicit FileLock(const std::filesystem::path& path);

 private:
  FileDescriptor file_;
};

/// Whether the process that the lock file names is still there; none where it names none, or one
/// of another host. Unlike an attempt to take the lock, this gets in nobody's way.
std::optional<bool> lock_owner_lives(const std::filesystem::path& path);

}  // namespace projnce::io
