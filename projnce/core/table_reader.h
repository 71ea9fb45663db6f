#pragma once

#include <functional>
#include <map>
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
  std::string value;                  ///< the present name of the value; empty: unchanged
  std::string message;                ///< "[loss] empty_pos is deprecated, use empty_positives"
};

/// Reads fields out of a table, strictly: a wrong type, a number out of range, a name that is no
/// choice or (in `done`) a key that nobody asked for throws a sentence with the place, the key and
/// the nearest valid one. What the table lacks keeps the value that it has.
class TableReader : public FieldVisitor {
 public:
  /// The table outlives the reader.
  TableReader(const Table& table, std::string section);

  bool is_present(const std::string& key, bool present) override;
  void check(std::function<void()> rule) override;

  /// A sub-table that somebody else reads; an empty one where there is none.
  const Table& sub_table(const std::string& key);

  /// The deprecated names that were read so far.
  const std::vector<Deprecation>& deprecations() const { return deprecations_; }

  /// Throws where the table holds a key that was not asked for, or a rule does not hold.
  void done() const;

 private:
  void visit(const std::string& key, bool& value) override;
  void visit(const std::string& key, std::string& value) override;
  void visit(const std::string& key, std::vector<std::string>& value) override;
  void visit(const std::string& key, int64_t& value, const Range& range) override;
  void visit(const std::string& key, double& value, const Range& range) override;
  void visit(const std::string& key, std::vector<double>& value, const Range& range) override;
  void visit_text_or_count(const std::string& key, std::string& value) override;
  void visit_choice(const std::string& key, std::string& name,
                    const std::vector<std::string>& names, const FormerNames& deprecated) override;
  void visit_renamed(const std::string& former_key, const std::string& key) override;
  void begin_section(const std::string& key) override;
  void end_section() override;

  struct Level {
    const Table* table;
    std::vector<std::string> known;  // keys that were asked for
    std::vector<std::function<void()>> rules;
    std::map<std::string, std::string> former_keys;  // deprecated names, by the present one
    std::string name;                                // of the section; empty for the outermost
  };

  const Table& table() const { return *levels_.back().table; }
  void ask_for(const std::string& key);
  /// The name under which the table holds the field: `key`, or its deprecated name.
  std::string stored_key(const std::string& key);
  void note_deprecated(Deprecation found, const std::string& former, const std::string& present);
  const Value* find(const std::string& key);
  double number(const std::string& key, const Value& value, const Range& range) const;
  [[noreturn]] void fail_type(const std::string& key, const Value& value,
                              const std::string& expected) const;
  std::string place(const Value& value) const;

  std::vector<Level> levels_;  // the section that is being read is the last
  std::vector<Deprecation> deprecations_;
};

/// The options that `table`, the section of that name, describes. What it lacks stays as it is in
/// `options`.
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
