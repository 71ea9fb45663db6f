#include "projnce/core/toml.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr size_t kMostKeyParts = 16;  // "a.b.c" has three
constexpr size_t kMostBrackets = 16;  // levels of arrays and inline tables

/// Finds the keys and brackets of TOML, skipping strings and comments.
class DepthScanner {
 public:
  DepthScanner(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  void scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find_first_of(kLineEnds, at_), text_.size());
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        count(c);
        ++at_;
      }
    }
  }

 private:
  static constexpr std::string_view kLineEnds = "\n\v\f\r";

  /// A string of one line, or of several between three quotes.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool is_long = text_.substr(at_).starts_with(triple);
    at_ += is_long ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        ++at_;
      } else if (is_long ? text_.substr(at_).starts_with(triple) : c == quote) {
        at_ += is_long ? 3 : 1;
        // Two quotes may precede the three that end a string.
        for (int i = 0; is_long && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      } else if (!is_long && kLineEnds.find(c) != kLineEnds.npos) {
        return;
      }
    }
  }

  void count(char c) {
    if (c == '.' && ++parts_ > kMostKeyParts) {
      fail(here(), ": a key has more than ", kMostKeyParts, " parts");
    }
    if ((c == '[' || c == '{') && ++brackets_ > kMostBrackets) {
      fail(here(), ": more than ", kMostBrackets, " levels of arrays and inline tables");
    }
    if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
    if (std::string_view("=,[]{}\n\v\f\r").find(c) != std::string_view::npos) parts_ = 1;
  }

  std::string here() const {
    const auto before = text_.substr(0, at_);
    return concat(origin_, ":", 1 + std::count(before.begin(), before.end(), '\n'));
  }

  std::string_view text_;
  const std::string& origin_;
  size_t at_ = 0;
  size_t parts_ = 1;
  size_t brackets_ = 0;
};

/// Throws if the tables of a document are nested deeply. toml++ limits brackets, but not the parts
/// of a key, and the destructor of its tables recurses: they must be limited before it parses.
void check_toml_depth(std::string_view text, const std::string& origin) {
  DepthScanner(text, origin).scan();
}

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
    const auto assignment = "value = " + text;
    check_toml_depth(assignment, origin);
    const auto document = toml::parse(assignment);
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
  check_toml_depth(text, origin);
  try {
    return convert_table(toml::parse(text), origin);
  } catch (const toml::parse_error& error) {
    fail(location(origin, error.source()), ": ", error.description());
  }
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
