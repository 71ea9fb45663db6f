#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "projnce/io/file_descriptor.h"

namespace projnce {

/// The contents of a file in memory of our own. A mapping would change, or kill the process, when
/// somebody rewrites or shortens the file after it was checked.
class FileBytes {
 public:
  explicit FileBytes(size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::span<std::byte> span() { return {bytes_.get(), size_}; }
  std::span<const std::byte> span() const { return {bytes_.get(), size_}; }
  std::span<const uint8_t> octets() const {
    return {reinterpret_cast<const uint8_t*>(bytes_.get()), size_};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;  // not a vector, which would first write zeros
  size_t size_;
};

/// Room for the bytes of the file called `name`; throws where there is not as much memory.
FileBytes allocate_file_bytes(size_t size, const std::string& name);

/// Throws where a file of `file_bytes` bytes does not hold `size` bytes from `offset` on.
void check_range(uint64_t offset, size_t size, uint64_t file_bytes, const std::string& name);

/// A file that is open for reading, and what was known of it then.
struct RegularFile {
  std::string name;  ///< its path, printable
  FileDescriptor file;
  uint64_t size = 0;
  int64_t changed_ns = 0;  ///< time of the last change of its content

  /// Fills `room` from `offset` on as far as the file goes and returns how much that was. May be
  /// called from several threads at once.
  size_t read_at(uint64_t offset, std::span<std::byte> room) const;
};

/// Throws for what is not a regular file (a pipe would wait for ever) or cannot be opened.
RegularFile open_regular_file(const std::filesystem::path& path);

/// Reads a whole file. Throws for what is not a regular file, cannot be opened, has more than
/// `limit` bytes, does not fit into memory, or becomes shorter meanwhile.
FileBytes read_regular_file(const std::filesystem::path& path, size_t limit = SIZE_MAX);

}  // namespace projnce
