#include "projnce/core/table_reader.h"

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/names.h"

namespace projnce {

namespace {

std::string describe(const Value& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return concat(v); }
    std::string operator()(const std::string& v) const { return "'" + v + "'"; }
    std::string operator()(const Value::Array&) const { return "an array"; }
  };
  return std::visit(Visitor{}, value.data);
}

std::string prefix(const std::string& where) {
  return where.empty() ? "" : where + ": ";
}

}  // namespace

TableReader::TableReader(const Table& table, std::string section)
    : FieldVisitor(std::move(section)), levels_{{&table, {}, {}, {}, {}}} {}

void TableReader::visit(const std::string& key, bool& value) {
  const Value* given = find(key);
  if (!given) return;
  const auto* flag = std::get_if<bool>(&given->data);
  if (!flag) fail_type(key, *given, "true or false");
  value = *flag;
}

void TableReader::visit(const std::string& key, int64_t& value, const Range& range) {
  const Value* given = find(key);
  if (!given) return;
  const auto* integer = std::get_if<int64_t>(&given->data);
  if (!integer) fail_type(key, *given, "an integer");
  number(key, *given, range);
  value = *integer;
}

void TableReader::visit(const std::string& key, double& value, const Range& range) {
  if (const Value* given = find(key)) value = number(key, *given, range);
}

void TableReader::visit(const std::string& key, std::string& value) {
  const Value* given = find(key);
  if (!given) return;
  const auto* text = std::get_if<std::string>(&given->data);
  if (!text) fail_type(key, *given, "a quoted string");
  value = *text;
}

void TableReader::visit_text_or_count(const std::string& key, std::string& value) {
  const Value* given = find(key);
  const auto* count = given ? std::get_if<int64_t>(&given->data) : nullptr;
  if (count) {
    value = std::to_string(*count);
  } else {
    visit(key, value);
  }
}

void TableReader::visit(const std::string& key, std::vector<double>& value, const Range& range) {
  const Value* given = find(key);
  if (!given) return;
  const auto* array = std::get_if<Value::Array>(&given->data);
  if (!array) fail_type(key, *given, "an array of numbers");
  value.clear();
  for (const auto& element : *array) value.push_back(number(key, element, range));
}

void TableReader::visit(const std::string& key, std::vector<std::string>& value) {
  const Value* given = find(key);
  if (!given) return;
  const auto* array = std::get_if<Value::Array>(&given->data);
  if (!array) fail_type(key, *given, "an array of strings");
  value.clear();
  for (const auto& element : *array) {
    const auto* text = std::get_if<std::string>(&element.data);
    if (!text) fail_type(key, element, "a quoted string");
    value.push_back(*text);
  }
}

void TableReader::visit_former_names(const std::string& key, std::string& value,
                                     const FormerNames& deprecated) {
  for (const auto& [former, present] : deprecated) {
    if (value != former) continue;
    note_deprecated({.key = key, .value = Value{present, {}}}, concat(key, " = '", former, "'"),
                    concat("'", present, "'"));
    value = present;
    return;
  }
}

void TableReader::visit_former_names(const std::string& key, std::vector<std::string>& value,
                                     const FormerNames& deprecated) {
  for (const auto& [former, present] : deprecated) {
    if (std::find(value.begin(), value.end(), former) == value.end()) continue;
    std::replace(value.begin(), value.end(), former, present);
    Value::Array names;
    for (const auto& name : value) names.push_back({name, {}});
    note_deprecated({.key = key, .value = Value{names, {}}}, concat("'", former, "' in ", key),
                    concat("'", present, "'"));
  }
}

void TableReader::visit_choice(const std::string& key, std::string& name,
                               const std::vector<std::string>& names,
                               const FormerNames& deprecated) {
  const Value* given = find(key);
  if (!given) return;
  const auto* text = std::get_if<std::string>(&given->data);
  if (!text) fail_type(key, *given, "one of " + join(names));
  auto chosen = *text;
  visit_former_names(key, chosen, deprecated);
  if (std::find(names.begin(), names.end(), chosen) == names.end()) {
    const auto nearest = nearest_name(chosen, names);
    fail(Hint{nearest.empty() ? "" : "did you mean '" + nearest + "'?"}, location(*given), key,
         " = '", chosen, "' is not one of ", join(names));
  }
  name = chosen;
}

void TableReader::visit_renamed(const std::string& former_key, const std::string& key) {
  levels_.back().former_keys[key] = former_key;
}

bool TableReader::is_present(const std::string& key, bool /*present*/) {
  mark_known(key);
  return table().has(stored_key(key));
}

void TableReader::check(std::function<void()> rule) {
  levels_.back().rules.push_back(std::move(rule));
}

const Table& TableReader::sub_table(const std::string& key) {
  static const Table empty;
  mark_known(key);
  const auto stored = stored_key(key);
  const auto value = table().values.find(stored);
  if (value != table().values.end()) {
    fail_type(stored, value->second, concat("a section [", stored, "]"));
  }
  const auto found = table().tables.find(stored);
  return found == table().tables.end() ? empty : found->second;
}

void TableReader::begin_section(const std::string& key) {
  levels_.push_back({&sub_table(key), {}, {}, {}, key});
}

void TableReader::end_section() {
  done();
  levels_.pop_back();
}

void TableReader::done() const {
  const auto& known = levels_.back().known;
  const auto check_known = [&](const std::string& key, const std::string& where) {
    if (std::find(known.begin(), known.end(), key) != known.end()) return;
    const auto nearest = nearest_name(key, known);
    fail(Hint{nearest.empty() ? "known: " + join(known) : "did you mean '" + nearest + "'?"},
         prefix(where), "unknown key '", key, "'",
         section_name().empty() ? "" : " in [" + section_name() + "]");
  };
  for (const auto& [key, value] : table().values) check_known(key, value.where);
  for (const auto& [key, sub_table] : table().tables) check_known(key, sub_table.where);
  for (const auto& rule : levels_.back().rules) rule();
}

void TableReader::mark_known(const std::string& key) {
  auto& known = levels_.back().known;
  if (known.empty() || known.back() != key) known.push_back(key);  // is_present may have added it
}

const Value* TableReader::find(const std::string& key) {
  mark_known(key);
  const auto section = table().tables.find(key);
  if (section != table().tables.end()) {
    fail(prefix(section->second.where), key, " is a section, expected a single value");
  }
  const auto found = table().values.find(stored_key(key));
  return found == table().values.end() ? nullptr : &found->second;
}

std::string TableReader::stored_key(const std::string& key) {
  auto& level = levels_.back();
  const auto former = level.former_keys.find(key);
  if (former == level.former_keys.end() || !table().has(former->second)) return key;
  const auto former_key = former->second;
  if (table().has(key)) {
    fail(Hint{concat("remove ", former_key, ", which is deprecated")},
         section_name().empty() ? "" : "[" + section_name() + "] ", key, " and ", former_key,
         " are both set, expected one of them");
  }
  if (std::find(level.known.begin(), level.known.end(), former_key) == level.known.end()) {
    level.known.insert(level.known.begin(), former_key);
    note_deprecated({.former_key = former_key, .key = key}, former_key, key);
  }
  return former_key;
}

void TableReader::note_deprecated(Deprecation found, const std::string& former,
                                  const std::string& present) {
  for (size_t i = 1; i < levels_.size(); ++i) found.sections.push_back(levels_[i].name);
  if (found.former_key.empty()) {
    const auto& former_keys = levels_.back().former_keys;
    const auto renamed = former_keys.find(found.key);
    const bool both = renamed != former_keys.end() && table().has(renamed->second);
    found.former_key = both ? renamed->second : found.key;
  }
  found.message = concat(section_name().empty() ? "" : "[" + section_name() + "] ", former,
                         " is deprecated, use ", present);
  deprecations_.push_back(std::move(found));
}

void use_present_names(Table& table, const std::vector<Deprecation>& deprecations) {
  for (const auto& deprecation : deprecations) {
    Table* section = &table;
    for (const auto& name : deprecation.sections) section = &section->tables.at(name);
    if (auto renamed = section->tables.extract(deprecation.former_key); !renamed.empty()) {
      renamed.key() = deprecation.key;
      section->tables.insert(std::move(renamed));
      continue;
    }
    auto entry = section->values.extract(deprecation.former_key);
    if (entry.empty()) entry = section->values.extract(deprecation.key);  // renamed before
    entry.key() = deprecation.key;
    if (deprecation.value) entry.mapped().data = deprecation.value->data;
    section->values.insert(std::move(entry));
  }
}

double TableReader::number(const std::string& key, const Value& value, const Range& range) const {
  const auto number = number_in(value);
  if (!number) fail_type(key, value, "a number");
  if (!std::isfinite(*number) || !contains(range, *number)) {
    fail(location(value), key, " = ", describe(value), " is out of range, expected ",
         describe(range));
  }
  return *number;
}

void TableReader::fail_type(const std::string& key, const Value& value,
                            const std::string& expected) const {
  fail(location(value), key, " = ", describe(value), " has the wrong type, expected ", expected);
}

std::string TableReader::location(const Value& value) const {
  return section_name().empty() ? prefix(value.where)
                                : concat(prefix(value.where), "[", section_name(), "] ");
}

}  // namespace projnce
