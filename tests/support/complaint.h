#pragma once

#include <string>

#include "projnce/core/error.h"

namespace projnce::testing {

/// The sentence that `action` ends with, and its hint where it has one; or "nothing was wrong".
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
