#pragma once

#include <cstdint>

#include "projnce/core/error.h"

namespace projnce {

/// Throws a sentence with the option's name where its value is too small.
inline void check_at_least(const char* name, int64_t value, int64_t least) {
  if (value < least) fail(name, " = ", value, ", expected at least ", least);
}

}  // namespace projnce
