#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "projnce/core/table.h"

namespace projnce {

/// Parses untrusted TOML. Throws with file and line on invalid TOML, on dates and times, which no
/// setting accepts, and on tables nested so deeply that recursion could overflow the stack.
Table parse_toml(std::string_view text, const std::string& origin);

/// parse_toml for a regular file of at most 1 MiB; any other path throws. Defined with the
/// functions that open files (io/filesystem/regular_file.cpp).
Table read_toml(const std::filesystem::path& path);

/// Applies a `--set` argument of the form `a.b=v`. `v` is parsed as a TOML value, or taken as a
/// string if it is not one, so that `--set loss.name=supcon` needs no quotes.
void apply_setting(Table& table, const std::string& setting);

/// Formats a table as TOML, values before sections; doubles round-trip exactly. Keys must consist
/// of letters, digits, '_' and '-'.
std::string to_toml(const Table& table);

/// Formats one value as it appears after the '='.
std::string to_toml(const Value& value);

}  // namespace projnce
