#pragma once

#include <string>

#include "projnce/core/field_visitor.h"

namespace projnce {

bool contains(const Range& range, double number);

/// "between 2 and 9", "at least 1", "above 0".
std::string describe(const Range& range);

}  // namespace projnce
