#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace projnce {

/// One setting. `where` is its origin ("quick.toml:12" or "--set"), for error messages.
struct Value {
  /// A list; elements may have different types.
  using Array = std::vector<Value>;
  std::variant<bool, int64_t, double, std::string, Array> data;  ///< the value itself
  std::string where;                                             ///< empty if set by code
};

/// A tree of settings, as parsed from TOML files and `--set`. TableReader reads options structs
/// from it, TableWriter writes them to it.
struct Table {
  std::map<std::string, Value> values;  ///< by key
  std::map<std::string, Table> tables;  ///< sub-tables by key
  std::string where;                    ///< origin, as in Value

  /// Returns whether a value or a sub-table with this key exists.
  bool has(const std::string& key) const { return values.count(key) + tables.count(key) > 0; }
};

/// Returns an integer or floating-point value as double; std::nullopt for other types.
inline std::optional<double> number_in(const Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value.data)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return {};
}

/// Merges `above` into `below`; values of `above` win.
inline void overlay(Table& below, const Table& above) {
  for (const auto& [key, value] : above.values) below.values[key] = value;
  for (const auto& [key, table] : above.tables) overlay(below.tables[key], table);
}

/// Returns a string of a run's configuration, or "" if it is missing or not a string: reports show
/// as much as they can of any file.
inline std::string config_text(const Table& config, const std::string& section,
                               const std::string& key) {
  const auto table = config.tables.find(section);
  if (table == config.tables.end()) return {};
  const auto value = table->second.values.find(key);
  if (value == table->second.values.end()) return {};
  const auto* text = std::get_if<std::string>(&value->second.data);
  return text == nullptr ? std::string() : *text;
}

}  // namespace projnce
