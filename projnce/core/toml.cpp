#include "projnce/core/toml.h"

#include <toml++/toml.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "projnce/core/error.h"

namespace projnce {

namespace {

std::string place(const std::string& origin, const toml::source_region& source) {
  return source.begin.line > 0 ? concat(origin, ":", source.begin.line) : origin;
}

Value convert_value(const toml::node& node, const std::string& origin) {
  const auto where = place(origin, node.source());
  if (const auto* v = node.as_boolean()) return {v->get(), where};
  if (const auto* v = node.as_integer()) return {v->get(), where};
  if (const auto* v = node.as_floating_point()) return {v->get(), where};
  if (const auto* v = node.as_string()) return {v->get(), where};
  if (const auto* array = node.as_array()) {
    Value::Array elements;
    for (const auto& element : *array) elements.push_back(convert_value(element, origin));
    return {std::move(elements), where};
  }
  fail(where, ": dates, times and tables inside arrays are not used here");
}

Table convert_table(const toml::table& source, const std::string& origin) {
  Table table;
  table.where = place(origin, source.source());
  for (const auto& [key, node] : source) {
    const std::string name(key.str());
    if (const auto* child = node.as_table()) {
      table.tables[name] = convert_table(*child, origin);
    } else {
      table.values[name] = convert_value(node, origin);
    }
  }
  return table;
}

toml::table to_tree(const Table& table);

struct NodeInserter {
  template <class T>
  void operator()(const T& value) const {
    if constexpr (std::is_same_v<T, Value::Array>) {
      toml::array array;
      for (const auto& element : value) {
        std::visit(
            [&array](const auto& v) {
              if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, Value::Array>) {
                array.push_back(v);
              }
            },
            element.data);
      }
      tree.insert(key, std::move(array));
    } else {
      tree.insert(key, value);
    }
  }
  toml::table& tree;
  const std::string& key;
};

toml::table to_tree(const Table& table) {
  toml::table tree;
  for (const auto& [key, value] : table.values) std::visit(NodeInserter{tree, key}, value.data);
  for (const auto& [key, child] : table.tables) tree.insert(key, to_tree(child));
  return tree;
}

Value parse_value(const std::string& text, const std::string& origin) {
  try {
    const auto document = toml::parse("value = " + text);
    if (document.size() == 1 && !document.get("value")->is_table()) {
      return {convert_value(*document.get("value"), origin).data, origin};
    }
  } catch (const toml::parse_error&) {
    // Not TOML: plain text, as typed on a command line.
  }
  return {text, origin};
}

}  // namespace

Table parse_toml(std::string_view text, const std::string& origin) {
  try {
    return convert_table(toml::parse(text), origin);
  } catch (const toml::parse_error& error) {
    fail(place(origin, error.source()), ": ", error.description());
  }
}

Table read_toml(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!std::filesystem::is_regular_file(path) || !file) {
    fail("cannot read the configuration file ", path.string());
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_toml(text, path.filename().string());
}

void apply_setting(Table& table, const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(Hint{"write it as --set section.key=value"}, "--set '", setting, "' has no value");
  }
  Table* target = &table;
  std::istringstream path(setting.substr(0, equals));
  std::string key;
  std::getline(path, key, '.');
  for (std::string next; std::getline(path, next, '.'); key = next) {
    if (target->values.count(key)) fail("--set ", setting, ": '", key, "' is no section");
    target = &target->tables[key];
    if (target->where.empty()) target->where = "--set " + setting;
  }
  target->values[key] = parse_value(setting.substr(equals + 1), "--set " + setting);
}

std::string to_toml(const Table& table) {
  std::ostringstream out;
  out << to_tree(table) << '\n';
  return out.str();
}

}  // namespace projnce
