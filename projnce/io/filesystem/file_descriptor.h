#pragma once

#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

#include "projnce/core/error.h"

namespace projnce::io {

/// Returns the system's message for an `errno` value: "No space left on device".
inline std::string system_message(int code) {
  return std::generic_category().message(code);
}

/// Throws a runtime Error with the concatenated parts and the system's message.
template <class... Parts>
[[noreturn]] void fail_system(int code, const Parts&... parts) {
  fail_runtime(parts..., ": ", system_message(code));
}

/// Owns a file descriptor and closes it on destruction; -1 means none.
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

  /// Returns false if the system reports an error, which means data loss after a write.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace projnce::io
