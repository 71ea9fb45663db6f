#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projnce/core/field_visitor.h"

namespace projnce {

/// "a, b, c"
std::string join(const std::vector<std::string>& names, std::string_view separator = ", ");

/// The known name that is fewest edits away from `name`; if none is near, the only one that begins
/// with `name`, or "".
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// Throws: there is no `kind` called `name`; names the nearest one and lists all.
[[noreturn]] void fail_unknown(std::string_view kind, std::string_view name,
                               const std::vector<std::string>& known);

bool contains(const Range& range, double number);

/// "between 2 and 9", "at least 1", "above 0".
std::string describe(const Range& range);

}  // namespace projnce
