#include "projnce/core/table_reader.h"

#include <algorithm>
#include <cmath>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/core/range_text.h"

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

}  // namespace

TableReader& TableReader::field(const std::string& key, bool& target) {
  if (const Value* value = find(key)) {
    const auto* flag = std::get_if<bool>(&value->data);
    if (!flag) fail_type(key, *value, "true or false");
    target = *flag;
  }
  store(key, {target, {}});
  return *this;
}

TableReader& TableReader::field(const std::string& key, int64_t& target, const Range& range) {
  if (const Value* value = find(key)) {
    const auto* integer = std::get_if<int64_t>(&value->data);
    if (!integer) fail_type(key, *value, "a whole number");
    number(key, *value, range);
    target = *integer;
  }
  store(key, {target, {}});
  return *this;
}

TableReader& TableReader::field(const std::string& key, double& target, const Range& range) {
  if (const Value* value = find(key)) target = number(key, *value, range);
  store(key, {target, {}});
  return *this;
}

TableReader& TableReader::field(const std::string& key, std::optional<double>& target,
                                const Range& range) {
  if (const Value* value = find(key)) target = number(key, *value, range);
  return *this;
}

TableReader& TableReader::field(const std::string& key, std::string& target) {
  if (const Value* value = find(key)) {
    const auto* text = std::get_if<std::string>(&value->data);
    if (!text) fail_type(key, *value, "a text in quotes");
    target = *text;
  }
  store(key, {target, {}});
  return *this;
}

TableReader& TableReader::field(const std::string& key, std::vector<double>& target,
                                const Range& range) {
  if (const Value* value = find(key)) {
    const auto* array = std::get_if<Value::Array>(&value->data);
    if (!array) fail_type(key, *value, "an array of numbers");
    target.clear();
    for (const auto& element : *array) target.push_back(number(key, element, range));
  }
  Value::Array stored;
  for (const double element : target) stored.push_back({element, {}});
  store(key, {std::move(stored), {}});
  return *this;
}

TableReader& TableReader::field(const std::string& key, std::vector<std::string>& target) {
  if (const Value* value = find(key)) {
    const auto* array = std::get_if<Value::Array>(&value->data);
    if (!array) fail_type(key, *value, "an array of texts");
    target.clear();
    for (const auto& element : *array) {
      const auto* text = std::get_if<std::string>(&element.data);
      if (!text) fail_type(key, element, "a text in quotes");
      target.push_back(*text);
    }
  }
  Value::Array stored;
  for (const auto& element : target) stored.push_back({element, {}});
  store(key, {std::move(stored), {}});
  return *this;
}

Table& TableReader::section(const std::string& key) {
  if (const Value* value = find(key)) fail_type(key, *value, concat("a section [", key, "]"));
  return table_.tables[key];
}

void TableReader::done() const {
  const auto check = [this](const std::string& key, const std::string& where) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) return;
    const auto nearest = nearest_name(key, known_);
    fail(Hint{nearest.empty() ? "known: " + join(known_) : "did you mean '" + nearest + "'?"},
         where.empty() ? "" : where + ": ", "unknown key '", key, "'",
         section_.empty() ? "" : " in [" + section_ + "]");
  };
  for (const auto& [key, value] : table_.values) check(key, value.where);
  for (const auto& [key, table] : table_.tables) check(key, table.where);
}

Value* TableReader::find(const std::string& key) {
  known_.push_back(key);
  const auto found = table_.values.find(key);
  return found == table_.values.end() ? nullptr : &found->second;
}

void TableReader::store(const std::string& key, Value value) {
  const auto table = table_.tables.find(key);
  if (table != table_.tables.end()) {
    fail(table->second.where, ": ", key, " is a section, expected a single value");
  }
  Value& slot = table_.values[key];
  value.where = slot.where;
  slot = std::move(value);
}

std::string TableReader::pick(const std::string& key, const std::string& current,
                              const std::vector<std::string>& names) {
  std::string picked = current;
  if (const Value* value = find(key)) {
    const auto* text = std::get_if<std::string>(&value->data);
    if (!text) fail_type(key, *value, "one of " + join(names));
    if (std::find(names.begin(), names.end(), *text) == names.end()) {
      const auto nearest = nearest_name(*text, names);
      fail(Hint{nearest.empty() ? "" : "did you mean '" + nearest + "'?"}, place(*value), key,
           " = '", *text, "' is not one of ", join(names));
    }
    picked = *text;
  }
  store(key, {picked, {}});
  return picked;
}

double TableReader::number(const std::string& key, const Value& value, const Range& range) const {
  double number = 0;
  if (const auto* integer = std::get_if<int64_t>(&value.data)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    number = *real;
  } else {
    fail_type(key, value, "a number");
  }
  if (!std::isfinite(number) || !contains(range, number)) {
    fail(place(value), key, " = ", describe(value), " is out of range, expected ", describe(range));
  }
  return number;
}

void TableReader::fail_type(const std::string& key, const Value& value,
                            const std::string& expected) const {
  fail(place(value), key, " = ", describe(value), " has the wrong type, expected ", expected);
}

std::string TableReader::place(const Value& value) const {
  const auto where = value.where.empty() ? "" : value.where + ": ";
  return section_.empty() ? where : concat(where, "[", section_, "] ");
}

}  // namespace projnce
