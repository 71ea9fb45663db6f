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
const std::string kAction = "action";
const std::string kNewLabel = "label";
const std::string kIsLabelIssue = "is_label_issue";

/// The first of two columns that exists: that of issues.csv, or that of label_issues.csv.
std::optional<size_t> find_either(const io::DataTable& file, const char* first,
                                  const char* second) {
  const auto found = file.find_column(first);
  return found ? found : file.find_column(second);
}

/// Finds the samples that corrections refer to.
class SampleFinder {
 public:
  SampleFinder(const io::DataTable& corrections, const CorrectedSamples& samples)
      : corrections_(corrections),
        samples_(samples),
        given_(find_either(corrections, "given_label", "given")),
        version_(corrections.find_column(kDataVersion)) {
    if (samples.has_rows) row_ = corrections.find_column(kRow);
    if (!samples.name_column.empty()) name_ = corrections.find_column(samples.name_column);
    if (!row_ && !name_) {
      if (samples.name_column.empty() && !samples.missing_names_advice.empty() &&
          corrections.find_column("id")) {
        fail("the ids of ", corrections.name(), " need ", samples.missing_names_advice);
      }
      corrections.column(samples.has_rows ? kRow : samples.name_column);  // throws
    }
    if (!name_) return;
    for (size_t i = 0; i < samples.names.size(); ++i) {
      by_name_.emplace(samples.names[i], static_cast<int64_t>(i));
    }
  }

  /// Returns the index of the sample. Throws if there is none, or if it is of another version.
  int64_t find(int64_t line) {
    check_version(line);
    const auto row = name_ ? named_row(line) : numbered_row(line);
    if (name_ && row_ && numbered_row(line) != row) {
      fail_version(line, concat("the id of row ", corrections_.field(line, *row_)),
                   samples_.names[static_cast<size_t>(numbered_row(line))],
                   corrections_.field(line, *name_));
    }
    const auto& label = samples_.labels[static_cast<size_t>(row)];
    if (given_ && corrections_.field(line, *given_) != label) {
      fail_version(line, concat("the label of ", name_of(row)), label,
                   corrections_.field(line, *given_));
    }
    return row;
  }

 private:
  [[noreturn]] void fail_version(int64_t line, const std::string& what, std::string_view found,
                                 std::string_view expected) const {
    fail(Hint{"the corrections are of another version of the data; audit this one"},
         corrections_.location(line), ": ", what, " of ", samples_.name, " is '",
         io::printable_start(found), "', expected '", io::printable_start(expected), "'");
  }

  std::string name_of(int64_t row) const {
    return name_ ? io::printable_start(samples_.names[static_cast<size_t>(row)])
                 : concat("row ", row);
  }

  void check_version(int64_t line) const {
    if (!version_ || samples_.version.empty()) return;
    const auto version = corrections_.field(line, *version_);
    if (version.empty() || version == samples_.version) return;
    fail_version(line, "the fingerprint", samples_.version, version);
  }

  int64_t numbered_row(int64_t line) const {
    const auto text = corrections_.field(line, *row_);
    int64_t row = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || row < 0 || row >= samples_.size()) {
      fail(corrections_.location(line), " has the row '", io::printable_start(text),
           "', expected 0 to ", samples_.size() - 1, ", the rows of ", samples_.name);
    }
    return row;
  }

  int64_t named_row(int64_t line) const {
    const auto text = corrections_.field(line, *name_);
    auto found = by_name_.find(std::string(text));
    // label_issues.csv marks names that spreadsheets would evaluate with an apostrophe.
    if (found == by_name_.end() && text.starts_with('\'')) {
      found = by_name_.find(std::string(text.substr(1)));
    }
    if (found == by_name_.end()) {
      fail(corrections_.location(line), " has the ", samples_.name_column, " '",
           io::printable_start(text), "', which ", samples_.name, " does not have");
    }
    return found->second;
  }

  const io::DataTable& corrections_;
  const CorrectedSamples& samples_;
  std::optional<size_t> row_;
  std::optional<size_t> name_;
  std::optional<size_t> given_;
  std::optional<size_t> version_;
  std::unordered_map<std::string, int64_t> by_name_;
};

CorrectionAction parse_action(const io::DataTable& corrections, int64_t line, size_t column) {
  const auto action = corrections.field(line, column);
  if (action.empty() || action == "keep") return CorrectionAction::kKeep;
  if (action == "relabel") return CorrectionAction::kRelabel;
  if (action == "drop") return CorrectionAction::kDrop;
  fail(corrections.location(line), " has the action '", io::printable_start(action),
       "', expected keep, relabel or drop");
}

void check_new_label(const Correction& correction, const CorrectedSamples& samples) {
  if (correction.action != CorrectionAction::kRelabel) return;
  const auto& names = samples.class_names;
  if (correction.label.empty()) {
    fail(correction.location, " has the action relabel without a label");
  }
  if (std::find(names.begin(), names.end(), correction.label) != names.end()) return;
  const auto nearest = nearest_name(correction.label, names);
  fail(Hint{nearest.empty() ? "" : concat("did you mean '", io::printable_start(nearest), "'?")},
       correction.location, " has the label '", io::printable_start(correction.label),
       "', which no sample of ", samples.name, " has");
}

/// Reads actions and labels of a file with the column `action`.
Correction read_checked(const io::DataTable& file, int64_t line) {
  Correction correction{.action = parse_action(file, line, file.column(kAction))};
  if (correction.action == CorrectionAction::kRelabel) {
    correction.label = file.field(line, file.column(kNewLabel));
  }
  return correction;
}

/// True if a row of issues.csv or, by its score, of label_issues.csv is a label issue.
bool is_label_issue(const io::DataTable& file, int64_t line) {
  const auto flag_column = file.find_column(kIsLabelIssue);
  const auto score_column = file.find_column("score");
  if (!flag_column && score_column) {
    const auto text = file.field(line, *score_column);
    double score = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
    if (error == std::errc() && end == text.data() + text.size()) return score > 0.5;
    fail(file.location(line), " has the score '", io::printable_start(text),
         "', expected a number");
  }
  const auto flag = file.field(line, file.column(kIsLabelIssue));
  if (flag == "true" || flag == "false") return flag == "true";
  fail(file.location(line), " has '", io::printable_start(flag), "' in the column '", kIsLabelIssue,
       "', expected true or false");
}

/// Converts a row of issues.csv or label_issues.csv.
Correction read_issue(const io::DataTable& file, int64_t line, UncheckedIssues unchecked) {
  if (!is_label_issue(file, line)) return {};
  if (unchecked == UncheckedIssues::kDrop) return {.action = CorrectionAction::kDrop};
  const auto column = find_either(file, "predicted_label", "suggested");
  return {
      .action = CorrectionAction::kRelabel,
      .label = std::string(file.field(line, column ? *column : file.column("predicted_label")))};
}

/// The record of a row with another label.
std::string relabeled_record(const LabeledTable& table, int64_t row, const std::string& label) {
  const auto& data = table.table;
  auto names = table.columns.votes;
  if (!table.columns.label.empty()) names.push_back(table.columns.label);
  if (data.delimiter() == '\0') {
    auto object = nlohmann::ordered_json::parse(data.record(row));
    // A number or boolean is replaced by one if the new label is one.
    auto parsed = nlohmann::ordered_json::parse(label, nullptr, /*allow_exceptions=*/false);
    for (const auto& name : names) {
      if (!object.contains(name) || object[name].is_null()) continue;
      auto& value = object[name];
      const bool is_text = value.is_string() || parsed.is_discarded() || parsed.is_structured();
      value = is_text ? nlohmann::ordered_json(label) : parsed;
    }
    return object.dump();
  }
  std::string record;
  for (size_t c = 0; c < data.columns().size(); ++c) {
    if (c > 0) record += data.delimiter();
    const auto field = data.field(row, c);
    const bool is_label = std::find(names.begin(), names.end(), data.columns()[c]) != names.end();
    record += io::quote_field(is_label && !field.empty() ? label : field, data.delimiter());
  }
  return record;
}

}  // namespace

CorrectedSamples corrected_samples(const LabeledTable& table) {
  CorrectedSamples samples{
      .name = table.table.name(),
      .labels = {},
      .class_names = table.class_names,
      .has_rows = true,
      .version = table.version(),
      .missing_names_advice = concat("--id COLUMN, the ids of ", table.table.name())};
  for (int64_t row = 0; row < table.size(); ++row) samples.labels.push_back(table.label_of(row));
  if (table.columns.id.empty()) return samples;
  samples.name_column = "id";
  for (int64_t row = 0; row < table.size(); ++row) samples.names.push_back(table.id_of(row));
  return samples;
}

std::vector<Correction> read_corrections(const std::filesystem::path& path,
                                         const CorrectedSamples& samples,
                                         UncheckedIssues unchecked) {
  const auto file = io::read_table(path);
  const bool is_checked = file.find_column(kAction).has_value();
  if (!is_checked && unchecked == UncheckedIssues::kReject) {
    fail(Hint{"add it, or apply the issues of an audit with --issues drop or --issues relabel"},
         file.name(), " has no column '", kAction, "' (keep, relabel or drop)");
  }
  SampleFinder finder(file, samples);
  std::unordered_map<int64_t, int64_t> lines;  // of each corrected sample
  std::vector<Correction> corrections;
  for (int64_t line = 0; line < file.size(); ++line) {
    auto correction = is_checked ? read_checked(file, line) : read_issue(file, line, unchecked);
    correction.row = finder.find(line);
    correction.location = file.location(line);
    check_new_label(correction, samples);
    const auto [found, is_new] = lines.emplace(correction.row, line);
    if (!is_new) {
      fail(correction.location, " corrects the sample again after ", file.location(found->second));
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
