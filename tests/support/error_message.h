#pragma once

#include <string>

#include "projnce/core/error.h"

namespace projnce::testing {

/// Returns the message and hint of the Error that `action` throws, or "nothing was wrong".
template <class Action>
std::string error_message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.hint().empty() ? error.what() : concat(error.what(), " ", error.hint());
  }
  return "nothing was wrong";
}

}  // namespace projnce::testing
