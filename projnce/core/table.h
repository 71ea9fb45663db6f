#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace projnce {

/// One setting. `where` tells where it came from ("quick.toml:12" or "--set"), for error messages.
struct Value {
  /// A list; its values may be of different types.
  using Array = std::vector<Value>;
  std::variant<bool, int64_t, double, std::string, Array> data;  ///< the setting itself
  std::string where;                                             ///< "" where a program made it
};

/// A tree of settings, as a TOML file or `--set` gives them. TableReader reads options structs out
/// of it, TableWriter makes one of them.
struct Table {
  std::map<std::string, Value> values;  ///< by key
  std::map<std::string, Table> tables;  ///< sub-tables by key
  std::string where;                    ///< as of a value

  /// Whether there is a value or a sub-table of that key.
  bool has(const std::string& key) const { return values.count(key) + tables.count(key) > 0; }
};

/// A number of either kind; none where the value is none.
inline std::optional<double> number_in(const Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value.data)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return {};
}

/// Puts the settings of `above` over those of `below`.
inline void overlay(Table& below, const Table& above) {
  for (const auto& [key, value] : above.values) below.values[key] = value;
  for (const auto& [key, table] : above.tables) overlay(below.tables[key], table);
}

/// A text out of a run's configuration; empty where it is not there or no text: reports show what
/// they can of any file.
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
