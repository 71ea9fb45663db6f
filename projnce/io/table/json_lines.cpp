#include "projnce/io/table/data_table.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/printable.h"

namespace projnce::io {

namespace {

using nlohmann::ordered_json;

/// Nesting of a value; deeper ones could overflow the stack when they are formatted.
constexpr int kMaxDepth = 8;

class JsonLinesParser {
 public:
  explicit JsonLinesParser(TableRows& rows) : rows_(rows) {}

  void parse(std::string_view text) {
    for (int64_t line = 1; !text.empty(); ++line) {
      const size_t length = std::min(text.find('\n'), text.size());
      auto record = text.substr(0, length);
      text.remove_prefix(std::min(length + 1, text.size()));
      if (record.ends_with('\r')) record.remove_suffix(1);
      if (record.find_first_not_of(" \t") != record.npos) append_row(record, line);
    }
  }

 private:
  void append_row(std::string_view record, int64_t line) {
    const auto object = parse_object(record, line);
    const size_t first = rows_.fields.size();
    for (const auto& [key, value] : object.items()) {
      const size_t column = column_index(key, line);
      while (rows_.fields.size() <= first + column) append({}, line);
      rows_.fields[first + column] = text_of(value, line);
    }
    if (object.empty()) append({}, line);  // DataTable::field needs a place for the row
    rows_.first_fields.push_back(first);
    rows_.records.push_back(record);
    rows_.lines.push_back(line);
  }

  void append(std::string_view field, int64_t line) {
    rows_.check_field(field.size(), line);
    rows_.fields.push_back(field);
  }

  ordered_json parse_object(std::string_view record, int64_t line) const {
    std::vector<std::string> keys;
    const auto check = [&](int depth, ordered_json::parse_event_t event, ordered_json& parsed) {
      if (depth > kMaxDepth) {
        fail(rows_.at_line(line), " is nested more than ", kMaxDepth, " levels deep");
      }
      if (depth == 1 && event == ordered_json::parse_event_t::key) {
        keys.push_back(parsed.get<std::string>());
      }
      return true;
    };
    ordered_json object;
    try {
      object = ordered_json::parse(record, check);
    } catch (const ordered_json::parse_error& error) {
      fail(rows_.at_line(line), " is not JSON at character ", error.byte,
           ", expected one object per line");
    } catch (const ordered_json::out_of_range&) {
      fail(rows_.at_line(line), " has a number that is too large for a double");
    }
    if (!object.is_object()) {
      fail(rows_.at_line(line), " is a JSON ", object.type_name(), ", expected an object");
    }
    if (keys.size() != object.size()) {
      fail(rows_.at_line(line), " has a key twice, expected different keys");
    }
    return object;
  }

  size_t column_index(const std::string& key, int64_t line) {
    const auto [found, is_new] = columns_.emplace(key, rows_.columns.size());
    if (is_new) {
      if (rows_.columns.size() == rows_.limits.columns) {
        fail(rows_.at_line(line), " adds the column '", printable_start(key),
             "', expected at most ", rows_.limits.columns);
      }
      rows_.columns.push_back(key);
    }
    return found->second;
  }

  std::string_view text_of(const ordered_json& value, int64_t line) {
    if (value.is_null()) return {};
    auto text = value.is_string() ? value.get<std::string>() : value.dump();
    rows_.check_field(text.size(), line);
    return rows_.unescaped.emplace_back(std::move(text));
  }

  TableRows& rows_;
  std::map<std::string, size_t> columns_;
};

}  // namespace

void parse_json_lines(std::string_view text, TableRows& rows) {
  JsonLinesParser(rows).parse(text);
}

}  // namespace projnce::io
