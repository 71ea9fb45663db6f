#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace projnce {

/// Whose turn it is when something goes wrong; decides the program's exit status.
enum class ErrorKind {
  kInput,    ///< wrong usage, configuration or data: the user mends it (exit status 2)
  kRuntime,  ///< it failed while working: disk full, diverged training (exit status 1)
};

/// The one exception that users meet. `what()` is a sentence that names the file, field or value
/// and what was expected; `hint()` says what to do about it and may be empty.
class Error : public std::runtime_error {
 public:
  /// `hint` says what to do about it, `fault` whose turn it is.
  explicit Error(const std::string& message, std::string hint = {},
                 ErrorKind kind = ErrorKind::kInput)
      : std::runtime_error(message), hint_(std::move(hint)), kind_(kind) {}

  /// What to do about it; may be empty.
  const std::string& hint() const { return hint_; }
  /// Whose turn it is.
  ErrorKind kind() const { return kind_; }

 private:
  std::string hint_;
  ErrorKind kind_;
};

/// What the user can do about an error: `fail(Hint{"unpack it again"}, path, " is cut short")`.
struct Hint {
  std::string text;  ///< a sentence
};

/// Joins its arguments as `<<` prints them.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Throws an Error that says its arguments, joined.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(concat(parts...));
}

/// The same with a hint.
template <class... Parts>
[[noreturn]] void fail(const Hint& hint, const Parts&... parts) {
  throw Error(concat(parts...), hint.text);
}

/// For what goes wrong while working, through no fault of the input.
template <class... Parts>
[[noreturn]] void fail_runtime(const Parts&... parts) {
  throw Error(concat(parts...), {}, ErrorKind::kRuntime);
}

/// The same with a hint.
template <class... Parts>
[[noreturn]] void fail_runtime(const Hint& hint, const Parts&... parts) {
  throw Error(concat(parts...), hint.text, ErrorKind::kRuntime);
}

}  // namespace projnce
