#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

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

/// Reads a whole file. Throws for what is not a regular file (a pipe would wait for ever), cannot
/// be opened, has more than `limit` bytes, does not fit into memory, or becomes shorter meanwhile.
FileBytes read_regular_file(const std::filesystem::path& path, size_t limit = SIZE_MAX);

}  // namespace projnce
