#include "projnce/inference/audit_table.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/corrections.h"
#include "projnce/dataset/readers/table_dataset.h"
#include "projnce/eval/data_issues.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/printable.h"
#include "projnce/report/csv.h"

namespace projnce::inference {

namespace {

using nlohmann::ordered_json;

constexpr size_t kTopTableIssues = 10;
constexpr size_t kMaxListedOverlaps = 20;

/// Groups of the rows, in the order of their names.
struct TableGroups {
  std::vector<std::string> names;
  std::vector<int64_t> of_rows;
};

TableGroups read_groups(const dataset::LabeledTable& table) {
  TableGroups groups;
  if (table.columns.group.empty()) return groups;
  std::map<std::string, int64_t> indices;
  for (int64_t row = 0; row < table.size(); ++row) {
    indices.emplace(table.text_of(table.columns.group, row), 0);
  }
  for (auto& [name, index] : indices) {
    index = static_cast<int64_t>(groups.names.size());
    groups.names.push_back(name);
  }
  for (int64_t row = 0; row < table.size(); ++row) {
    groups.of_rows.push_back(indices.at(table.text_of(table.columns.group, row)));
  }
  return groups;
}

std::vector<bool> read_test_rows(const dataset::LabeledTable& table) {
  std::vector<bool> is_test;
  if (table.columns.split.empty()) return is_test;
  for (int64_t row = 0; row < table.size(); ++row) {
    is_test.push_back(table.text_of(table.columns.split, row) == dataset::kTestSplit);
  }
  return is_test;
}

int64_t count_of(const std::vector<bool>& flags) {
  return std::count(flags.begin(), flags.end(), true);
}

std::vector<IssueReport::Kind> report_kinds(const eval::DataIssues& issues,
                                            const dataset::LabeledTable& table) {
  std::vector<IssueReport::Kind> kinds = {
      {.name = "near_duplicate",
       .rows = count_of(issues.is_near_duplicate),
       .threshold = issues.duplicate_threshold,
       .rule = concat("distance to another row, relative to the 10th nearest: one row is expected "
                      "below the threshold by chance in ",
                      table.size(), " independent rows of intrinsic dimension ",
                      std::llround(issues.intrinsic_dimension))},
      {.name = "conflicting",
       .rows = count_of(issues.is_conflicting),
       .threshold = issues.duplicate_threshold,
       .rule = "near-duplicates with different labels"},
      {.name = "outlier",
       .rows = count_of(issues.is_outlier),
       .threshold = eval::kOutlierDeviations,
       .rule = "robust standard deviations farther from its 10 neighbors than other rows, and than "
               "these neighbors from theirs"},
      {.name = "ambiguous",
       .rows = count_of(issues.is_ambiguous),
       .threshold = 1,
       .rule = "standard deviations of a fair coin between the two most frequent labels of 20 "
               "neighbors"}};
  if (!table.columns.split.empty()) {
    kinds.push_back({.name = "leakage",
                     .rows = count_of(issues.is_leaked),
                     .threshold = issues.duplicate_threshold,
                     .rule = "test rows that are near-duplicates of training rows"});
  }
  if (!table.columns.group.empty()) {
    kinds.push_back({.name = "weak_group",
                     .rows = count_of(issues.in_weak_group),
                     .threshold = eval::kMinAccuracyGap,
                     .rule = "accuracy of the neighbors' majority label below that of all other "
                             "rows, with p < 0.01 for all groups together"});
  }
  return kinds;
}

IssueReport report_issues(const eval::DataIssues& issues, const AuditedSamples& samples,
                          const TableGroups& groups) {
  IssueReport report{.kinds = report_kinds(issues, *samples.table),
                     .overlaps = {},
                     .weak_groups = {},
                     .data_version = samples.table->version()};
  const auto name = [&](int64_t label) {
    return io::printable(samples.class_names[static_cast<size_t>(label)]);
  };
  for (const auto& pair : issues.overlaps) {
    if (!pair.is_issue || report.overlaps.size() == kMaxListedOverlaps) break;
    report.overlaps.push_back({name(pair.first), name(pair.second), pair.overlap});
  }
  for (size_t g = 0; g < issues.groups.size(); ++g) {
    const auto& group = issues.groups[g];
    if (!group.is_issue) continue;
    report.weak_groups.push_back(
        {io::printable_start(groups.names[g]), group.rows, group.accuracy, group.others});
  }
  return report;
}

/// Writes the columns of one row.
class IssueLine {
 public:
  IssueLine& number(const char* name, double value) {
    names_ += concat(names_.empty() ? "" : ",", name);
    row_.number(value);
    return *this;
  }
  IssueLine& whole(const char* name, int64_t value) {
    names_ += concat(names_.empty() ? "" : ",", name);
    row_.whole(value);
    return *this;
  }
  IssueLine& text(const char* name, const std::string& value) {
    names_ += concat(names_.empty() ? "" : ",", name);
    row_.exact(value);
    return *this;
  }
  IssueLine& flag(const char* name, bool value) { return text(name, value ? "true" : "false"); }

  const std::string& names() const { return names_; }
  std::string line() const { return row_.line(); }

 private:
  std::string names_;
  report::CsvRow row_;
};

void add_data_issues(IssueLine& line, const AuditedSamples& samples, const eval::DataIssues& issues,
                     int64_t row) {
  const auto& table = *samples.table;
  const auto i = static_cast<size_t>(row);
  const int64_t first = issues.near_duplicate_of[i];
  line.number("near_duplicate_score", issues.near_duplicate_score[i])
      .flag("is_near_duplicate_issue", issues.is_near_duplicate[i])
      .text("near_duplicate_of", first < 0 ? "" : table.id_of(first))
      .flag("is_conflicting_issue", issues.is_conflicting[i]);
  if (!table.columns.split.empty()) line.flag("is_leakage_issue", issues.is_leaked[i]);
  const int64_t second = issues.second_label[i];
  line.number("outlier_score", issues.outlier_score[i])
      .flag("is_outlier_issue", issues.is_outlier[i])
      .number("ambiguity_score", issues.ambiguity_score[i])
      .flag("is_ambiguous_issue", issues.is_ambiguous[i])
      .text("second_label", second < 0 ? "" : samples.class_names[static_cast<size_t>(second)]);
  if (!table.columns.group.empty()) line.flag("is_weak_group_issue", issues.in_weak_group[i]);
}

void write_issues(const std::filesystem::path& file, const AuditedSamples& samples,
                  const Audited& audited, const eval::DataIssues& issues) {
  const auto& table = *samples.table;
  const auto version = table.version();
  std::string text;
  for (int64_t i = 0; i < samples.size(); ++i) {
    const double score = audited.score(i);
    IssueLine line;
    line.whole("row", i);
    if (!table.columns.id.empty()) line.text("id", table.id_of(i));
    line.text("given_label", samples.class_name(samples.labels, i))
        .text("predicted_label", samples.class_name(audited.result.suggested, i))
        .number("label_quality", 1 - score)
        .flag("is_label_issue", score > eval::kFlagged);
    if (!table.votes.empty()) {
      line.whole("votes", table.votes[static_cast<size_t>(i)])
          .whole("agreeing_votes", table.agreeing_votes[static_cast<size_t>(i)]);
    }
    add_data_issues(line, samples, issues, i);
    line.text(dataset::kDataVersion, version);
    if (i == 0) text = line.names() + "\n";
    text += line.line();
  }
  io::write_file_atomically(file, text);
}

}  // namespace

ordered_json issues_json(const IssueReport& report) {
  ordered_json json{{"data_version", report.data_version},
                    {"kinds", ordered_json::array()},
                    {"overlapping_classes", ordered_json::array()},
                    {"weak_groups", ordered_json::array()}};
  for (const auto& kind : report.kinds) {
    json["kinds"].push_back({{"kind", kind.name},
                             {"rows", kind.rows},
                             {"threshold", kind.threshold},
                             {"rule", kind.rule}});
  }
  for (const auto& pair : report.overlaps) {
    json["overlapping_classes"].push_back(
        {{"first", pair.first}, {"second", pair.second}, {"overlap", pair.overlap}});
  }
  for (const auto& group : report.weak_groups) {
    json["weak_groups"].push_back({{"group", group.group},
                                   {"rows", group.rows},
                                   {"accuracy", group.accuracy},
                                   {"others", group.others}});
  }
  return json;
}

TableAuditOutput audit_table(const AuditTableRequest& request, const Logger& logger) {
  require_labels(request.table);
  set_threads(0);
  auto read = read_table_samples(request.table, RunOutput::kFeatures, logger);
  const int64_t rows = read.table.size();
  const AuditedSamples samples{
      .rows = read.arrays.embeddings,
      .labels = read.arrays.labels,
      .indices = torch::arange(rows),
      .class_names = read.arrays.class_names,
      .table = std::make_shared<const dataset::LabeledTable>(std::move(read.table))};
  const auto audited = audit_samples(samples, request.options);
  const auto groups = read_groups(*samples.table);
  const auto issues =
      eval::find_data_issues({.embeddings = samples.rows,
                              .labels = samples.labels,
                              .likely = audited.result.suggested,
                              .num_classes = static_cast<int64_t>(samples.class_names.size()),
                              .is_test = read_test_rows(*samples.table),
                              .groups = groups.of_rows});
  write_issues(request.output, samples, audited, issues);
  TableAuditOutput output;
  output.report = report_audit(samples, audited, kTopTableIssues);
  output.files = {request.output};
  output.issues = report_issues(issues, samples, groups);
  return output;
}

}  // namespace projnce::inference
