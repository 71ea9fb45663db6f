#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace projnce {

/// Range of valid values of a numeric field.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;   ///< if true, excludes `low`
  bool high_open = false;  ///< if true, excludes `high`
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
inline Range below(double high) {
  Range range;
  range.high = high;
  range.high_open = true;
  return range;
}
inline Range between(double low, double high) {
  auto range = at_least(low);
  range.high = high;
  return range;
}

/// Pairs of a former name and the present one.
using FormerNames = std::vector<std::pair<std::string, std::string>>;

/// Visits the fields of an options struct. The struct lists its fields once, for both reading and
/// writing:
///
///   void list_fields(TrainOptions& options, FieldVisitor& fields) {
///     fields.field("epochs", options.epochs, at_least(1))
///         .field("learning_rate", options.learning_rate, above(0))
///         .choice("schedule", options.schedule, {{"constant", kConstant}, {"cosine", kCosine}});
///   }
///
/// TableReader fills the fields from a Table, TableWriter writes them to one.
class FieldVisitor {
 public:
  /// `section` is the section name used in error messages; "" for the top level.
  explicit FieldVisitor(std::string section) : section_(std::move(section)) {}
  virtual ~FieldVisitor() = default;
  FieldVisitor(const FieldVisitor&) = delete;
  FieldVisitor& operator=(const FieldVisitor&) = delete;

  FieldVisitor& field(const std::string& key, bool& value) { return visited(key, value); }
  FieldVisitor& field(const std::string& key, std::string& value) { return visited(key, value); }
  FieldVisitor& field(const std::string& key, std::vector<std::string>& value) {
    return visited(key, value);
  }
  /// Same for a name or a list of names. `deprecated` lists pairs of a former name and the present
  /// one.
  template <class Names>
  FieldVisitor& field(const std::string& key, Names& value, const FormerNames& deprecated) {
    visit(key, value);
    visit_former_names(key, value, deprecated);
    return *this;
  }
  FieldVisitor& field(const std::string& key, int64_t& value, const Range& range = {}) {
    return visited(key, value, range);
  }
  FieldVisitor& field(const std::string& key, double& value, const Range& range = {}) {
    return visited(key, value, range);
  }
  FieldVisitor& field(const std::string& key, std::vector<double>& value, const Range& range = {}) {
    return visited(key, value, range);
  }
  /// REQUIRES: `range` lies within 32 bits.
  FieldVisitor& field(const std::string& key, int& value, const Range& range) {
    int64_t wide = value;
    visit(key, wide, range);
    value = static_cast<int>(wide);
    return *this;
  }
  /// A seed; negative values wrap around.
  FieldVisitor& field(const std::string& key, uint64_t& value) {
    auto number = static_cast<int64_t>(value);
    visit(key, number, {});
    value = static_cast<uint64_t>(number);
    return *this;
  }
  /// An optional field; remains std::nullopt if the key is missing.
  template <class Value>
  FieldVisitor& field(const std::string& key, std::optional<Value>& value,
                      const Range& range = {}) {
    if (!is_present(key, value.has_value())) return *this;
    Value present = value.value_or(Value());
    field(key, present, range);
    value = std::move(present);
    return *this;
  }

  /// A string field that also accepts an integer.
  FieldVisitor& text_or_count(const std::string& key, std::string& value) {
    visit_text_or_count(key, value);
    return *this;
  }

  /// An enum field, given by name. `deprecated` lists pairs of a former name and the present one.
  template <class Enum>
  FieldVisitor& choice(const std::string& key, Enum& value,
                       const std::vector<std::pair<std::string, Enum>>& choices,
                       const FormerNames& deprecated = {});

  /// Accepts `former_key` as a deprecated name of the field or section `key`, which is listed next.
  FieldVisitor& renamed(const std::string& former_key, const std::string& key) {
    visit_renamed(former_key, key);
    return *this;
  }

  /// A nested struct with its own section and its own list_fields.
  template <class Options>
  FieldVisitor& section(const std::string& key, Options& options) {
    begin_section(key);
    const auto outer = section_;
    section_ = outer.empty() ? key : outer + "." + key;
    list_fields(options, *this);
    end_section();
    section_ = outer;
    return *this;
  }

  /// Returns whether an optional field or section is present. A reader looks it up in its table; a
  /// writer returns `present`.
  virtual bool is_present(const std::string& key, bool present) = 0;

  /// Registers a rule that involves several fields. It runs after the whole section has been read
  /// and throws if it is violated. The options must outlive the visitor.
  virtual void check(std::function<void()> rule) = 0;

  /// Full section name, such as "augment.audio"; "" at the top level.
  const std::string& section_name() const { return section_; }

 private:
  template <class... Arguments>
  FieldVisitor& visited(Arguments&&... arguments) {
    visit(std::forward<Arguments>(arguments)...);
    return *this;
  }

  virtual void visit(const std::string& key, bool& value) = 0;
  virtual void visit(const std::string& key, std::string& value) = 0;
  virtual void visit(const std::string& key, std::vector<std::string>& value) = 0;
  virtual void visit(const std::string& key, int64_t& value, const Range& range) = 0;
  virtual void visit(const std::string& key, double& value, const Range& range) = 0;
  virtual void visit(const std::string& key, std::vector<double>& value, const Range& range) = 0;
  virtual void visit_text_or_count(const std::string& key, std::string& value) = 0;
  /// Replaces former names in `value`, which was visited before.
  virtual void visit_former_names(const std::string& key, std::string& value,
                                  const FormerNames& deprecated) = 0;
  virtual void visit_former_names(const std::string& key, std::vector<std::string>& value,
                                  const FormerNames& deprecated) = 0;
  /// `name` is the current choice among `names` and is set to the new one.
  virtual void visit_choice(const std::string& key, std::string& name,
                            const std::vector<std::string>& names,
                            const FormerNames& deprecated) = 0;
  virtual void visit_renamed(const std::string& former_key, const std::string& key) = 0;
  virtual void begin_section(const std::string& key) = 0;
  virtual void end_section() = 0;

  std::string section_;
};

template <class Enum>
FieldVisitor& FieldVisitor::choice(const std::string& key, Enum& value,
                                   const std::vector<std::pair<std::string, Enum>>& choices,
                                   const FormerNames& deprecated) {
  std::vector<std::string> names;
  std::string chosen;
  for (const auto& [name, enumerator] : choices) {
    names.push_back(name);
    if (enumerator == value) chosen = name;
  }
  visit_choice(key, chosen, names, deprecated);
  for (const auto& [name, enumerator] : choices) {
    if (name == chosen) value = enumerator;
  }
  return *this;
}

}  // namespace projnce
