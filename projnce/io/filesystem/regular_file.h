#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

// What every reader of a binary format needs; none of it trusts what was read.

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The unsigned number in these bytes, eight at most, lowest first.
inline uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | std::to_integer<uint64_t>(bytes[i - 1]);
  }
  return number;
}

/// The bytes of an array; none where 63 bits (tensors count with a sign) cannot hold their number.
/// Every product is checked, also beside a zero: others may multiply in another order.
inline std::optional<uint64_t> array_bytes(uint64_t element_bytes,
                                           const std::vector<uint64_t>& shape) {
  auto bytes = static_cast<int64_t>(element_bytes);
  bool empty = false;
  for (const uint64_t size : shape) {
    empty = empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes)) return {};
  }
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

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

}  // namespace projnce::io
