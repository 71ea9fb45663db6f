#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/table.h"

namespace projnce {

/// The numbers that a field takes.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;  ///< `low` itself is not allowed
};

// No designated initializers: installed headers compile as C++17.
inline Range at_least(double low) {
  Range range;
  range.low = low;
  return range;
}
inline Range above(double low) {
  auto range = at_least(low);
  range.low_open = true;
  return range;
}
inline Range between(double low, double high) {
  auto range = at_least(low);
  range.high = high;
  return range;
}

/// Reads the fields of an options struct out of a table, strictly:
///
///   TrainOptions options;
///   TableReader(table, "train")
///       .field("epochs", options.epochs, at_least(1))
///       .field("learning_rate", options.learning_rate, above(0))
///       .choice("schedule", options.schedule, {{"constant", kConstant}, {"cosine", kCosine}})
///       .done();
///
/// A wrong type, a number out of range, a name that is no choice or (in `done`) a key that nobody
/// asked for throws a sentence with the place, the key and the nearest valid one. Keys that are
/// absent keep the struct's default, which is written into the table.
class TableReader {
 public:
  TableReader(Table& table, std::string section) : table_(table), section_(std::move(section)) {}

  TableReader& field(const std::string& key, bool& target);
  TableReader& field(const std::string& key, int64_t& target, const Range& range = {});
  TableReader& field(const std::string& key, double& target, const Range& range = {});
  TableReader& field(const std::string& key, std::string& target);
  TableReader& field(const std::string& key, std::vector<double>& target, const Range& range = {});
  TableReader& field(const std::string& key, std::vector<std::string>& target);
  /// Stays absent, also in the table, where it is not given.
  TableReader& field(const std::string& key, std::optional<double>& target,
                     const Range& range = {});

  template <class Enum>
  TableReader& choice(const std::string& key, Enum& target,
                      const std::vector<std::pair<std::string, Enum>>& choices);

  /// A sub-table that another reader reads; made if absent.
  Table& section(const std::string& key);

  /// Throws where the table holds a key that was not asked for.
  void done() const;

 private:
  Value* find(const std::string& key);
  void store(const std::string& key, Value value);
  std::string pick(const std::string& key, const std::string& current,
                   const std::vector<std::string>& names);
  double number(const std::string& key, const Value& value, const Range& range) const;
  [[noreturn]] void fail_type(const std::string& key, const Value& value,
                              const std::string& expected) const;
  std::string place(const Value& value) const;

  Table& table_;
  std::string section_;
  std::vector<std::string> known_;
};

template <class Enum>
TableReader& TableReader::choice(const std::string& key, Enum& target,
                                 const std::vector<std::pair<std::string, Enum>>& choices) {
  std::vector<std::string> names;
  std::string current;
  for (const auto& [name, value] : choices) {
    names.push_back(name);
    if (value == target) current = name;
  }
  const auto picked = pick(key, current, names);
  for (const auto& [name, value] : choices) {
    if (name == picked) target = value;
  }
  return *this;
}

}  // namespace projnce
