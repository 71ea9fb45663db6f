#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"

namespace projnce {

/// A deprecated name in a settings table, and what replaces it.
struct Deprecation {
  std::vector<std::string> sections;  ///< names of the enclosing sections, outermost first
  std::string former_key;             ///< as it is in the table
  std::string key;                    ///< the present name
  std::optional<Value> value;         ///< the present value; std::nullopt: unchanged
  std::string message;                ///< "[loss] empty_pos is deprecated, use empty_positives"
};

/// Reads fields from a table. Throws on a wrong type, a number out of range, an invalid choice and
/// (in `done`) an unknown key; the message has the location, the key and the nearest valid one.
/// Fields missing from the table keep their values.
class TableReader : public FieldVisitor {
 public:
  /// `table` must outlive the reader.
  TableReader(const Table& table, std::string section);

  bool is_present(const std::string& key, bool present) override;
  void check(std::function<void()> rule) override;

  /// Returns a sub-table that is read elsewhere; an empty one if it is missing.
  const Table& sub_table(const std::string& key);

  /// The deprecated names that were read so far.
  const std::vector<Deprecation>& deprecations() const { return deprecations_; }

  /// Throws if the table has a key that was never read, or if a rule is violated.
  void done() const;

 private:
  void visit(const std::string& key, bool& value) override;
  void visit(const std::string& key, std::string& value) override;
  void visit(const std::string& key, std::vector<std::string>& value) override;
  void visit(const std::string& key, int64_t& value, const Range& range) override;
  void visit(const std::string& key, double& value, const Range& range) override;
  void visit(const std::string& key, std::vector<double>& value, const Range& range) override;
  void visit_text_or_count(const std::string& key, std::string& value) override;
  void visit_former_names(const std::string& key, std::string& value,
                          const FormerNames& deprecated) override;
  void visit_former_names(const std::string& key, std::vector<std::string>& value,
                          const FormerNames& deprecated) override;
  void visit_choice(const std::string& key, std::string& name,
                    const std::vector<std::string>& names, const FormerNames& deprecated) override;
  void visit_renamed(const std::string& former_key, const std::string& key) override;
  void begin_section(const std::string& key) override;
  void end_section() override;

  struct Level {
    const Table* table;
    std::vector<std::string> known;  // keys that were visited
    std::vector<std::function<void()>> rules;
    std::map<std::string, std::string> former_keys;  // deprecated names, by the present one
    std::string name;                                // of the section; empty for the outermost
  };

  const Table& table() const { return *levels_.back().table; }
  void mark_known(const std::string& key);
  /// The name under which the table holds the field: `key`, or its deprecated name.
  std::string stored_key(const std::string& key);
  void note_deprecated(Deprecation found, const std::string& former, const std::string& present);
  const Value* find(const std::string& key);
  double number(const std::string& key, const Value& value, const Range& range) const;
  [[noreturn]] void fail_type(const std::string& key, const Value& value,
                              const std::string& expected) const;
  std::string location(const Value& value) const;

  std::vector<Level> levels_;  // nesting of sections; the last is the current one
  std::vector<Deprecation> deprecations_;
};

/// Reads options from `table`, the section of that name. Fields missing from the table keep their
/// values in `options`.
template <class Options>
Options read_options(const Table& table, const std::string& section, Options options = {}) {
  TableReader reader(table, section);
  list_fields(options, reader);
  reader.done();
  return options;
}

/// Replaces the deprecated names in `table`, which the reader was made for, by the present ones.
void use_present_names(Table& table, const std::vector<Deprecation>& deprecations);

}  // namespace projnce
