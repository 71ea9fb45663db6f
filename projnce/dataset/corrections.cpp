#include "projnce/dataset/corrections.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/dataset/readers/embeddings.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/tensor/npy.h"

namespace projnce::dataset {

namespace {

const std::string kRow = "row";
const std::string kId = "id";
const std::string kAction = "action";
const std::string kNewLabel = "label";
const std::string kGivenLabel = "given_label";
const std::string kPredictedLabel = "predicted_label";
const std::string kIsLabelIssue = "is_label_issue";

/// Finds the rows of the corrected table that corrections refer to.
class CorrectedRows {
 public:
  CorrectedRows(const io::DataTable& corrections, const LabeledTable& table)
      : corrections_(corrections),
        table_(table),
        row_(corrections.find_column(kRow)),
        id_(corrections.find_column(kId)),
        given_(corrections.find_column(kGivenLabel)) {
    if (!row_ && !id_) corrections.column(kRow);  // throws
    if (id_ && table.columns.id.empty()) {
      if (!row_) {
        fail("the ids of ", corrections.name(), " need --id COLUMN, the ids of ",
             table.table.name());
      }
      id_.reset();
    }
    if (!id_) return;
    for (int64_t row = 0; row < table.size(); ++row) by_id_.emplace(table.id_of(row), row);
  }

  /// Returns the row of the table. Throws if there is none, or if its label is not the given one.
  int64_t find(int64_t line) {
    const auto row = id_ ? row_with_id(line) : numbered_row(line);
    if (id_ && row_ && numbered_row(line) != row) {
      fail_version(line, concat("the id of row ", corrections_.field(line, *row_)),
                   table_.id_of(numbered_row(line)), corrections_.field(line, *id_));
    }
    const auto label = table_.text_of(table_.columns.label, row);
    if (given_ && corrections_.field(line, *given_) != label) {
      fail_version(line, concat("the label of row ", row), label,
                   corrections_.field(line, *given_));
    }
    return row;
  }

 private:
  [[noreturn]] void fail_version(int64_t line, const std::string& what, std::string_view found,
                                 std::string_view expected) const {
    fail(Hint{"the corrections are of another version of the table; audit this one"},
         corrections_.location(line), ": ", what, " of ", table_.table.name(), " is '",
         io::printable_start(found), "', expected '", io::printable_start(expected), "'");
  }

  int64_t numbered_row(int64_t line) const {
    const auto text = corrections_.field(line, *row_);
    int64_t row = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || row < 0 || row >= table_.size()) {
      fail(corrections_.location(line), " has the row '", io::printable_start(text),
           "', expected 0 to ", table_.size() - 1, ", the rows of ", table_.table.name());
    }
    return row;
  }

  int64_t row_with_id(int64_t line) const {
    const auto id = corrections_.field(line, *id_);
    const auto found = by_id_.find(std::string(id));
    if (found == by_id_.end()) {
      fail(corrections_.location(line), " has the id '", io::printable_start(id), "', which ",
           table_.table.name(), " does not have");
    }
    return found->second;
  }

  const io::DataTable& corrections_;
  const LabeledTable& table_;
  std::optional<size_t> row_;
  std::optional<size_t> id_;
  std::optional<size_t> given_;
  std::unordered_map<std::string, int64_t> by_id_;
};

CorrectionAction parse_action(const io::DataTable& corrections, int64_t line, size_t column) {
  const auto action = corrections.field(line, column);
  if (action.empty() || action == "keep") return CorrectionAction::kKeep;
  if (action == "relabel") return CorrectionAction::kRelabel;
  if (action == "drop") return CorrectionAction::kDrop;
  fail(corrections.location(line), " has the action '", io::printable_start(action),
       "', expected keep, relabel or drop");
}

void check_new_label(const Correction& correction, const LabeledTable& table) {
  if (correction.action != CorrectionAction::kRelabel) return;
  const auto& names = table.class_names;
  if (correction.label.empty()) {
    fail(correction.location, " has the action relabel without a label");
  }
  if (std::find(names.begin(), names.end(), correction.label) != names.end()) return;
  const auto nearest = nearest_name(correction.label, names);
  fail(Hint{nearest.empty() ? "" : concat("did you mean '", io::printable_start(nearest), "'?")},
       correction.location, " has the label '", io::printable_start(correction.label),
       "', which no row of ", table.table.name(), " has");
}

/// Reads actions and labels of a file with the column `action`.
Correction read_checked(const io::DataTable& file, int64_t line) {
  Correction correction{.action = parse_action(file, line, file.column(kAction))};
  if (correction.action == CorrectionAction::kRelabel) {
    correction.label = file.field(line, file.column(kNewLabel));
  }
  return correction;
}

/// Converts a row of issues.csv.
Correction read_issue(const io::DataTable& file, int64_t line, UncheckedIssues unchecked) {
  const auto flag = file.field(line, file.column(kIsLabelIssue));
  if (flag != "true" && flag != "false") {
    fail(file.location(line), " has '", io::printable_start(flag), "' in the column '",
         kIsLabelIssue, "', expected true or false");
  }
  if (flag == "false") return {};
  if (unchecked == UncheckedIssues::kDrop) return {.action = CorrectionAction::kDrop};
  return {.action = CorrectionAction::kRelabel,
          .label = std::string(file.field(line, file.column(kPredictedLabel)))};
}

/// The record of a row with another label.
std::string relabeled_record(const LabeledTable& table, int64_t row, const std::string& label) {
  const auto& data = table.table;
  const size_t column = data.column(table.columns.label);
  if (data.delimiter() == '\0') {
    auto object = nlohmann::ordered_json::parse(data.record(row));
    auto& value = object[table.columns.label];
    // A number or boolean is replaced by one if the new label is one.
    auto parsed = nlohmann::ordered_json::parse(label, nullptr, /*allow_exceptions=*/false);
    const bool is_text = value.is_string() || parsed.is_discarded();
    value = is_text ? nlohmann::ordered_json(label) : std::move(parsed);
    return object.dump();
  }
  std::string record;
  for (size_t c = 0; c < data.columns().size(); ++c) {
    if (c > 0) record += data.delimiter();
    record += io::quote_field(c == column ? label : data.field(row, c), data.delimiter());
  }
  return record;
}

}  // namespace

std::vector<Correction> read_corrections(const std::filesystem::path& path,
                                         const LabeledTable& table, UncheckedIssues unchecked) {
  const auto file = io::read_table(path);
  const bool is_checked = file.find_column(kAction).has_value();
  if (!is_checked && unchecked == UncheckedIssues::kReject) {
    fail(Hint{"add it, or apply an issues.csv with --issues drop or --issues relabel"}, file.name(),
         " has no column '", kAction, "' (keep, relabel or drop)");
  }
  CorrectedRows rows(file, table);
  std::unordered_map<int64_t, int64_t> lines;  // of each corrected row
  std::vector<Correction> corrections;
  for (int64_t line = 0; line < file.size(); ++line) {
    auto correction = is_checked ? read_checked(file, line) : read_issue(file, line, unchecked);
    correction.row = rows.find(line);
    correction.location = file.location(line);
    check_new_label(correction, table);
    const auto [found, is_new] = lines.emplace(correction.row, line);
    if (!is_new) {
      fail(correction.location, " corrects row ", correction.row, " again after ",
           file.location(found->second));
    }
    corrections.push_back(std::move(correction));
  }
  return corrections;
}

CorrectionCounts write_corrected_table(const std::filesystem::path& output,
                                       const LabeledTable& table,
                                       const std::vector<Correction>& corrections) {
  std::unordered_map<int64_t, const Correction*> by_row;
  for (const auto& correction : corrections) by_row.emplace(correction.row, &correction);
  CorrectionCounts counts;
  std::string text(table.table.header());
  const char* line_break = text.ends_with("\r\n") ? "\r\n" : "\n";
  for (int64_t row = 0; row < table.size(); ++row) {
    const auto found = by_row.find(row);
    const auto action = found == by_row.end() ? CorrectionAction::kKeep : found->second->action;
    if (action == CorrectionAction::kDrop) {
      ++counts.dropped;
      continue;
    }
    if (action == CorrectionAction::kRelabel) {
      ++counts.relabeled;
      text += relabeled_record(table, row, found->second->label);
    } else {
      ++counts.kept;
      text += table.table.record(row);
    }
    text += line_break;
  }
  if (counts.kept + counts.relabeled == 0) {
    fail("the corrections drop every row of ", table.table.name(), ", expected one to remain");
  }
  io::write_file_atomically(output, text);
  return counts;
}

void write_remaining_rows(const std::filesystem::path& output,
                          const std::filesystem::path& embeddings, const LabeledTable& table,
                          const std::vector<Correction>& corrections) {
  const auto name = io::printable(embeddings.native());
  const auto file = io::read_npy(embeddings);
  const auto& shape = file.array.shape;
  if (shape.size() != 2 || std::cmp_not_equal(shape[0], table.size())) {
    fail(name, " is not a matrix with ", table.size(), " rows, expected one row per row of ",
         table.table.name());
  }
  auto values = finite_floats(file.array, name);
  std::vector<bool> dropped(shape[0]);
  for (const auto& correction : corrections) {
    if (correction.action != CorrectionAction::kDrop) continue;
    dropped[static_cast<size_t>(correction.row)] = true;
  }
  const auto columns = static_cast<int64_t>(shape[1]);
  auto end = values.begin();
  uint64_t rows = 0;
  for (size_t row = 0; row < dropped.size(); ++row) {
    if (dropped[row]) continue;
    const auto begin = values.begin() + static_cast<int64_t>(row) * columns;
    end = std::copy(begin, begin + columns, end);
    ++rows;
  }
  values.erase(end, values.end());
  io::write_npy(output, values, {rows, shape[1]});
}

}  // namespace projnce::dataset
