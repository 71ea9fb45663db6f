#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "projnce/core/table.h"

namespace projnce {

/// Throws with file and line where the text is no TOML, or holds dates, which no setting takes.
Table parse_toml(std::string_view text, const std::string& origin);
Table read_toml(const std::filesystem::path& path);

/// Applies `a.b=v` as `--set` gives it. `v` is a TOML value; what is none is taken as text, so that
/// `--set loss.name=supcon` needs no quotes.
void apply_setting(Table& table, const std::string& setting);

/// The table as TOML text, single values before sections; doubles read back the same. Keys are
/// those of settings: letters, digits, '_' and '-'.
std::string to_toml(const Table& table);

/// One value as it stands behind the '='.
std::string to_toml(const Value& value);

}  // namespace projnce
