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

/// What a power failure may take.
enum class Durability {
  kOnDisk,  ///< nothing: the bytes are on the disk before the file has its name
  kLater,   ///< the file, which may then be torn: for what is checked on reading and made anew
};

/// Writes a file that appears whole or not at all: the bytes go to a temporary file beside the
/// target, which takes the target's place in `commit()` once they are on the disk. Until then, and
/// whenever anything fails, what stood there before is untouched.
///
/// The temporary is called `.NAME.tmp.PID`; one that a killed process left behind is recognized by
/// that and removed by `remove_stale_temporaries`. A target that is a symbolic link is followed;
/// one that is a device, pipe or directory is refused, because renaming would replace it.
///
/// One AtomicFile per target at a time; different targets may be written from different threads.
/// Every failure throws an Error (Fault::kRuntime) with the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Without a commit the temporary is removed.
  ~AtomicFile();

  /// Sets `bytes` of the disk aside, so that a full one is noticed before the work of writing.
  void reserve(uint64_t bytes);
  void write(std::span<const std::byte> bytes);
  void commit(Durability durability = Durability::kOnDisk);

 private:
  void open_temporary();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  FileDescriptor file_;
  uint64_t reserved_ = 0;
  uint64_t written_ = 0;
};

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Durability durability = Durability::kOnDisk);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Removes the temporaries in `directory` whose writers are gone; returns what it removed. Those of
/// living processes stay. A directory that cannot be listed has none. REQUIRES: only processes of
/// this host write there, since their numbers mean nothing elsewhere.
std::vector<std::filesystem::path> remove_stale_temporaries(const std::filesystem::path& directory);

/// A file that grows beside work that it must not stop: bytes that a full disk does not take are
/// kept and written with later ones, from where they broke off. Use `append` from one thread.
class AppendFile {
 public:
  /// Goes on behind the first `length` bytes of `file`. `name` is for messages.
  AppendFile(FileDescriptor file, int64_t length, std::string name, Logger logger);

  void append(std::string_view bytes);
  /// Length of the file with all bytes in it.
  int64_t bytes() const { return written_ + static_cast<int64_t>(unwritten_.size()); }
  /// Whether the disk has not taken all bytes.
  bool is_behind() const { return !unwritten_.empty(); }

  /// Brings what is written to the disk itself; may run beside `append`. Throws where the system
  /// cannot.
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
