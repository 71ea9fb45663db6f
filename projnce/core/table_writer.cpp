#include "projnce/core/table_writer.h"

namespace projnce {

namespace {

template <class Element>
Value array_of(const std::vector<Element>& elements) {
  Value::Array array;
  for (const auto& element : elements) array.push_back({element, {}});
  return {std::move(array), {}};
}

}  // namespace

void TableWriter::visit(const std::string& key, bool& value) {
  tables_.back().second.values[key] = {value, {}};
}

void TableWriter::visit(const std::string& key, std::string& value) {
  tables_.back().second.values[key] = {value, {}};
}

void TableWriter::visit_text_or_count(const std::string& key, std::string& value) {
  visit(key, value);
}

void TableWriter::visit(const std::string& key, std::vector<std::string>& value) {
  tables_.back().second.values[key] = array_of(value);
}

void TableWriter::visit(const std::string& key, int64_t& value, const Range& /*range*/) {
  tables_.back().second.values[key] = {value, {}};
}

void TableWriter::visit(const std::string& key, double& value, const Range& /*range*/) {
  tables_.back().second.values[key] = {value, {}};
}

void TableWriter::visit(const std::string& key, std::vector<double>& value,
                        const Range& /*range*/) {
  tables_.back().second.values[key] = array_of(value);
}

void TableWriter::visit_choice(const std::string& key, std::string& name,
                               const std::vector<std::string>& /*names*/,
                               const FormerNames& /*deprecated*/) {
  tables_.back().second.values[key] = {name, {}};
}

void TableWriter::begin_section(const std::string& key) {
  tables_.emplace_back(key, Table());
}

void TableWriter::end_section() {
  auto written = std::move(tables_.back());
  tables_.pop_back();
  tables_.back().second.tables[written.first] = std::move(written.second);
}

}  // namespace projnce
