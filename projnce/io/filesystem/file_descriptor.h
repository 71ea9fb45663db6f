#pragma once

#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"

namespace projnce::io {

/// The system's words for an `errno`: "No space left on device".
inline std::string system_message(int code) {
  return std::generic_category().message(code);
}

/// Throws: what could not be done, and the system's reason.
template <class... Parts>
[[noreturn]] void fail_system(int code, const Parts&... parts) {
  fail_runtime(parts..., ": ", system_message(code));
}

/// Owns an open file of the system and closes it at the end of its life; -1 owns none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  /// False where the system reports an error, which after writing means lost data.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace projnce::io
