#include "projnce/core/toml.h"

#include <toml++/toml.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "projnce/core/error.h"

namespace projnce {

namespace {

std::string location(const std::string& origin, const toml::source_region& source) {
  return source.begin.line > 0 ? concat(origin, ":", source.begin.line) : origin;
}

Value convert_value(const toml::node& node, const std::string& origin) {
  const auto where = location(origin, node.source());
  if (const auto* v = node.as_boolean()) return {v->get(), where};
  if (const auto* v = node.as_integer()) return {v->get(), where};
  if (const auto* v = node.as_floating_point()) return {v->get(), where};
  if (const auto* v = node.as_string()) return {v->get(), where};
  if (const auto* array = node.as_array()) {
    Value::Array elements;
    for (const auto& element : *array) elements.push_back(convert_value(element, origin));
    return {std::move(elements), where};
  }
  fail(where, ": dates, times and tables inside arrays are not supported");
}

Table convert_table(const toml::table& source, const std::string& origin) {
  Table table;
  table.where = location(origin, source.source());
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

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

/// Returns the shortest string that parses back to the same double, with a decimal point or
/// exponent so that it stays a floating-point number.
std::string format_double(double number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

struct Printer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return format_double(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const Value::Array& array) const {
    std::string text;
    for (const auto& element : array) {
      text += (text.empty() ? "" : ", ") + std::visit(*this, element.data);
    }
    return "[" + text + "]";
  }
};

void print_table(const Table& table, const std::string& path, std::string& out) {
  if (!path.empty() && !table.values.empty()) out += "\n[" + path + "]\n";
  for (const auto& [key, value] : table.values) {
    out += key + " = " + to_toml(value) + "\n";
  }
  for (const auto& [key, child] : table.tables) {
    print_table(child, path.empty() ? key : path + "." + key, out);
  }
}

Value parse_value(const std::string& text, const std::string& origin) {
  try {
    const auto document = toml::parse("value = " + text);
    if (document.size() == 1 && !document.get("value")->is_table()) {
      return {convert_value(*document.get("value"), origin).data, origin};
    }
  } catch (const toml::parse_error&) {
    // Not TOML: an unquoted string from the command line.
  }
  return {text, origin};
}

}  // namespace

Table parse_toml(std::string_view text, const std::string& origin) {
  try {
    return convert_table(toml::parse(text), origin);
  } catch (const toml::parse_error& error) {
    fail(location(origin, error.source()), ": ", error.description());
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
    if (target->values.count(key)) fail("--set ", setting, ": '", key, "' is not a section");
    target = &target->tables[key];
    if (target->where.empty()) target->where = "--set " + setting;
  }
  target->values[key] = parse_value(setting.substr(equals + 1), "--set " + setting);
}

std::string to_toml(const Table& table) {
  std::string text;
  print_table(table, "", text);
  return text;
}

std::string to_toml(const Value& value) {
  return std::visit(Printer{}, value.data);
}

}  // namespace projnce
