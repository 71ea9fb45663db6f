#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace projnce {

/// One setting. `where` tells where it came from ("quick.toml:12" or "--set"), for error messages.
struct Value {
  using Array = std::vector<Value>;
  std::variant<bool, int64_t, double, std::string, Array> data;
  std::string where;
};

/// A tree of settings, as a TOML file or `--set` gives them. Options are read out of it by
/// TableReader, which also fills in the defaults: a table that was read is the complete one.
struct Table {
  std::map<std::string, Value> values;
  std::map<std::string, Table> tables;
  std::string where;

  bool has(const std::string& key) const { return values.count(key) + tables.count(key) > 0; }
};

}  // namespace projnce
