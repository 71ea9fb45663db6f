#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/field_visitor.h"
#include "projnce/core/table.h"

namespace projnce {

/// Writes fields to a table that TableReader can read back.
class TableWriter : public FieldVisitor {
 public:
  TableWriter() : FieldVisitor("") {}

  bool is_present(const std::string& /*key*/, bool present) override { return present; }

  void check(std::function<void()> /*rule*/) override {}

  Table take() { return std::move(tables_.front().second); }

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
  void visit_former_names(const std::string& /*key*/, std::string& /*value*/,
                          const FormerNames& /*deprecated*/) override {}
  void visit_former_names(const std::string& /*key*/, std::vector<std::string>& /*value*/,
                          const FormerNames& /*deprecated*/) override {}
  void visit_renamed(const std::string& /*former_key*/, const std::string& /*key*/) override {}
  void begin_section(const std::string& key) override;
  void end_section() override;

  // (key, table) of the nested sections; the last is the current one.
  std::vector<std::pair<std::string, Table>> tables_ = {{}};
};

/// Writes all fields of the options to a table, the inverse of read_options. Takes a copy because
/// list_fields needs mutable options.
template <class Options>
Table to_table(Options options) {
  TableWriter writer;
  list_fields(options, writer);
  return writer.take();
}

}  // namespace projnce
