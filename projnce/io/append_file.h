#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "projnce/core/logging.h"
#include "projnce/io/file_descriptor.h"

namespace projnce {

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

}  // namespace projnce
