#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace projnce {

/// The numbers that a field takes.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;   ///< `low` itself is not allowed
  bool high_open = false;  ///< `high` itself is not allowed
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

/// An options struct lists its fields once, for reading as for writing:
///
///   void list_fields(TrainOptions& options, FieldVisitor& fields) {
///     fields.field("epochs", options.epochs, at_least(1))
///         .field("learning_rate", options.learning_rate, above(0))
///         .choice("schedule", options.schedule, {{"constant", kConstant}, {"cosine", kCosine}});
///   }
///
/// TableReader fills the fields from a settings table, TableWriter puts them into one.
class FieldVisitor {
 public:
  /// `section` is the name of what is visited, for error messages; "" for the top level.
  explicit FieldVisitor(std::string section) : section_(std::move(section)) {}
  virtual ~FieldVisitor() = default;
  FieldVisitor(const FieldVisitor&) = delete;
  FieldVisitor& operator=(const FieldVisitor&) = delete;

  FieldVisitor& field(const std::string& key, bool& value) { return visited(key, value); }
  FieldVisitor& field(const std::string& key, std::string& value) { return visited(key, value); }
  FieldVisitor& field(const std::string& key, std::vector<std::string>& value) {
    return visited(key, value);
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
  /// The range keeps the number within 32 bits.
  FieldVisitor& field(const std::string& key, int& value, const Range& range) {
    int64_t wide = value;
    visit(key, wide, range);
    value = static_cast<int>(wide);
    return *this;
  }
  /// A seed; negative ones wrap around.
  FieldVisitor& field(const std::string& key, uint64_t& value) {
    auto number = static_cast<int64_t>(value);
    visit(key, number, {});
    value = static_cast<uint64_t>(number);
    return *this;
  }
  /// Stays absent where it is not given.
  template <class Value>
  FieldVisitor& field(const std::string& key, std::optional<Value>& value,
                      const Range& range = {}) {
    if (!is_present(key, value.has_value())) return *this;
    Value present = value.value_or(Value());
    field(key, present, range);
    value = std::move(present);
    return *this;
  }

  /// A text; a table may hold it as a whole number too.
  FieldVisitor& text_or_count(const std::string& key, std::string& value) {
    visit_text_or_count(key, value);
    return *this;
  }

  /// One of several names. `deprecated` lists pairs of a former name and the present one.
  template <class Enum>
  FieldVisitor& choice(const std::string& key, Enum& value,
                       const std::vector<std::pair<std::string, Enum>>& choices,
                       const FormerNames& deprecated = {});

  /// Accepts `former_key` as a deprecated name of the field `key`, which is listed next.
  FieldVisitor& renamed(const std::string& former_key, const std::string& key) {
    visit_renamed(former_key, key);
    return *this;
  }

  /// A struct in a section of its own, by its list_fields.
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

  /// Whether an optional field or section is there: in the table that is read, or, as `present`
  /// says, among what is written.
  virtual bool is_present(const std::string& key, bool present) = 0;

  /// What must hold between fields: called when the whole section has been read, throws where it
  /// does not hold. The options outlive the visitor.
  virtual void check(std::function<void()> rule) = 0;

  /// "augment.sound"; "" at the top level.
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
  /// `name` is the present one of `names` and becomes the chosen one.
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
  for (const auto& [name, meant] : choices) {
    names.push_back(name);
    if (meant == value) chosen = name;
  }
  visit_choice(key, chosen, names, deprecated);
  for (const auto& [name, meant] : choices) {
    if (name == chosen) value = meant;
  }
  return *this;
}

}  // namespace projnce
