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

#include "projnce/core/table.h"
#include "projnce/io/filesystem/file_descriptor.h"

namespace projnce::io {

// Helpers for readers of binary formats. All of them treat the input as untrusted.

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Decodes a little-endian unsigned integer of at most eight bytes.
inline uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | std::to_integer<uint64_t>(bytes[i - 1]);
  }
  return number;
}

/// Size of an array in bytes; std::nullopt if it exceeds 63 bits (tensor sizes are signed). Every
/// product is checked even if another size is zero, since callers may multiply in another order.
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

/// File contents in owned memory. A memory mapping would change, or crash the process, if the file
/// were modified or truncated after validation.
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
  std::unique_ptr<std::byte[]> bytes_;  // not a vector, which would zero-initialize
  size_t size_;
};

/// Allocates memory for the file called `name`; throws if there is not enough.
FileBytes allocate_file_bytes(size_t size, const std::string& name);

/// Throws if a file of `file_bytes` bytes does not contain `size` bytes at `offset`.
void check_range(uint64_t offset, size_t size, uint64_t file_bytes, const std::string& name);

/// A file opened for reading, with its metadata at opening time.
struct RegularFile {
  std::string name;  ///< printable path
  FileDescriptor file;
  uint64_t size = 0;
  int64_t changed_ns = 0;  ///< modification time

  /// Fills `buffer` with the bytes at `offset`, up to the end of the file; returns the number of
  /// bytes read. Thread-safe.
  size_t read_at(uint64_t offset, std::span<std::byte> buffer) const;
};

/// Throws if the path is not a regular file (a pipe would block) or cannot be opened.
RegularFile open_regular_file(const std::filesystem::path& path);

/// Reads a whole file. Throws if it is not a regular file, cannot be opened, has more than `limit`
/// bytes, does not fit into memory, or is truncated while being read.
FileBytes read_regular_file(const std::filesystem::path& path, size_t limit = SIZE_MAX);

/// Limits on the text files of a run, which are read into memory completely.
inline constexpr size_t kMostConfigBytes = size_t{1} << 20;
inline constexpr size_t kMostSummaryBytes = size_t{1} << 20;
inline constexpr size_t kMostMetricsBytes = size_t{256} << 20;

/// read_regular_file for text.
std::string read_text_file(const std::filesystem::path& path, size_t limit);

/// read_text_file; empty if the path does not exist.
std::string read_optional_text(const std::filesystem::path& path, size_t limit);

/// Returns the last bytes of a file, at most `most`.
std::string read_file_end(const std::filesystem::path& path, size_t most);

/// Reads and parses a configuration.
Table read_toml(const std::filesystem::path& path);

}  // namespace projnce::io
