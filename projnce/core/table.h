#pragma once

#include <cstdint>
#include <map>
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

/// A tree of settings, as a TOML file or `--set` gives them. Options are read out of it by
/// TableReader, which also fills in the defaults: a table that was read is the complete one.
struct Table {
  std::map<std::string, Value> values;  ///< by key
  std::map<std::string, Table> tables;  ///< sub-tables by key
  std::string where;                    ///< as of a value

  /// Whether there is a value or a sub-table of that key.
  bool has(const std::string& key) const { return values.count(key) + tables.count(key) > 0; }
};

}  // namespace projnce
