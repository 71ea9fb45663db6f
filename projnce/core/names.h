#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/field_visitor.h"

namespace projnce {

/// Joins names: "a, b, c".
std::string join(const std::vector<std::string>& names, std::string_view separator = ", ");

/// Returns the known name with the smallest edit distance to `name`. If none is close, returns the
/// only one that starts with `name`, or "".
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// Throws "unknown `kind` 'name'" with the nearest known name and the list of all known names.
[[noreturn]] void fail_unknown(std::string_view kind, std::string_view name,
                               const std::vector<std::string>& known);

bool contains(const Range& range, double number);

/// Describes a range: "between 2 and 9", "at least 1", "above 0".
std::string describe(const Range& range);

}  // namespace projnce
