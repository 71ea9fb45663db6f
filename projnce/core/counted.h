#pragma once

#include <string>
#include <string_view>

#include "projnce/core/error.h"

namespace projnce {

/// Formats a count with its noun: "1 sample", "2 samples". `many` is the plural; if empty, `one`
/// followed by "s".
template <class Number>
std::string counted(Number count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return concat(count, " ", one);
  return many.empty() ? concat(count, " ", one, "s") : concat(count, " ", many);
}

}  // namespace projnce
