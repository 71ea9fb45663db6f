#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace projnce {

/// Cause of an Error; determines the exit status of the program.
enum class ErrorKind {
  kInput,    ///< invalid usage, configuration or data (exit status 2)
  kRuntime,  ///< runtime failure, such as a full disk or diverged training (exit status 1)
};

/// The only exception type that users see. `what()` is a sentence that names the file, field or
/// value and the expected one; `hint()` suggests a fix and may be empty.
class Error : public std::runtime_error {
 public:
  /// `hint` suggests a fix; `kind` selects the exit status of the program.
  explicit Error(const std::string& message, std::string hint = {},
                 ErrorKind kind = ErrorKind::kInput)
      : std::runtime_error(message), hint_(std::move(hint)), kind_(kind) {}

  /// Suggested fix; may be empty.
  const std::string& hint() const { return hint_; }
  /// Who can fix it; selects the exit status of the program.
  ErrorKind kind() const { return kind_; }

 private:
  std::string hint_;
  ErrorKind kind_;
};

/// Suggested fix for an error: `fail(Hint{"extract it again"}, path, " is truncated")`.
struct Hint {
  std::string text;  ///< a sentence
};

/// Concatenates its arguments as formatted by `operator<<`.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Throws an Error of kind kInput with the concatenated arguments as its message.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(concat(parts...));
}

/// As above, with a hint.
template <class... Parts>
[[noreturn]] void fail(const Hint& hint, const Parts&... parts) {
  throw Error(concat(parts...), hint.text);
}

/// Throws an Error of kind kRuntime: the operation failed although the input was valid.
template <class... Parts>
[[noreturn]] void fail_runtime(const Parts&... parts) {
  throw Error(concat(parts...), {}, ErrorKind::kRuntime);
}

/// As above, with a hint.
template <class... Parts>
[[noreturn]] void fail_runtime(const Hint& hint, const Parts&... parts) {
  throw Error(concat(parts...), hint.text, ErrorKind::kRuntime);
}

}  // namespace projnce
