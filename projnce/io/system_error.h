#pragma once

#include <string>
#include <system_error>

#include "projnce/core/error.h"

namespace projnce {

/// The system's words for an `errno`: "No space left on device".
inline std::string system_message(int code) {
  return std::generic_category().message(code);
}

/// Throws: what could not be done, and the system's reason.
template <class... Parts>
[[noreturn]] void fail_system(int code, const Parts&... parts) {
  fail_working(parts..., ": ", system_message(code));
}

}  // namespace projnce
