#include "projnce/inference/audit.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/trained_model.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/run_directory.h"
#include "projnce/io/printable.h"
#include "projnce/report/grid/contact_sheet.h"
#include "projnce/report/text_table.h"

namespace projnce::inference {

namespace {

constexpr size_t kMaxLabelErrors = 10;
constexpr double kMinLabelErrorShare = 0.01;

AuditReport::LabelIssue report_issue(const AuditedSamples& samples, const Audited& audited,
                                     int64_t i) {
  const auto [split, index] = samples.place(i);
  return {.split = split,
          .index = index,
          .sample = io::printable(samples.name(i)),
          .given = io::printable(samples.class_name(samples.labels, i)),
          .suggested = io::printable(samples.class_name(audited.result.suggested, i)),
          .score = audited.score(i),
          .text = samples.table ? io::printable_start(samples.table->text_of(
                                      samples.table->columns.text, samples.index(i)))
                                : ""};
}

/// Largest off-diagonal entries of the noise matrix.
std::vector<AuditReport::LabelError> report_label_errors(const AuditedSamples& samples,
                                                         const torch::Tensor& matrix) {
  std::vector<std::tuple<double, size_t, size_t>> entries;
  const auto shares = matrix.accessor<double, 2>();
  for (size_t c = 0; c < samples.class_names.size(); ++c) {
    for (size_t g = 0; g < samples.class_names.size(); ++g) {
      const double share = shares[int64_t(c)][int64_t(g)];
      if (c != g && share >= kMinLabelErrorShare) entries.emplace_back(-share, c, g);
    }
  }
  std::sort(entries.begin(), entries.end());
  entries.resize(std::min(entries.size(), kMaxLabelErrors));
  std::vector<AuditReport::LabelError> mistakes;
  for (const auto& [share, c, g] : entries) {
    mistakes.push_back({.class_name = io::printable(samples.class_names[c]),
                        .labeled = io::printable(samples.class_names[g]),
                        .share = -share});
  }
  return mistakes;
}

std::vector<AuditReport::Split> report_splits(const AuditedSamples& samples) {
  std::map<std::string, int64_t> audited;
  for (int64_t i = 0; i < samples.size(); ++i) ++audited[samples.place(i).first];
  std::vector<AuditReport::Split> splits;
  for (const auto& split : samples.splits) {
    splits.push_back({.name = split.name, .samples = split.size, .audited = audited[split.name]});
  }
  return splits;
}

}  // namespace

std::pair<std::string, int64_t> AuditedSamples::place(int64_t i) const {
  int64_t at = index(i);
  for (const auto& split : splits) {
    if (at < split.size) return {split.name, at};
    at -= split.size;
  }
  return {"", at};
}

AuditedSamples join_splits(const std::vector<EncodedSplit>& splits) {
  AuditedSamples samples;
  std::vector<torch::Tensor> rows;
  std::vector<torch::Tensor> labels;
  std::vector<torch::Tensor> indices;
  std::vector<torch::Tensor> truth;
  std::vector<dataset::DatasetPtr> datasets;
  bool truth_known = false;
  int64_t begin = 0;
  for (const auto& split : splits) {
    rows.push_back(split.features);
    labels.push_back(split.labels);
    indices.push_back(split.indices + begin);
    datasets.push_back(split.dataset);
    const auto clean = torch::tensor(split.clean_labels, torch::kLong);
    truth.push_back(split.clean_labels.empty() ? split.labels : clean.index({split.indices}));
    truth_known = truth_known || !split.clean_labels.empty();
    samples.splits.push_back({split.name, split.dataset->size()});
    begin += split.dataset->size();
  }
  samples.rows = torch::cat(rows);
  samples.labels = torch::cat(labels).contiguous();
  samples.indices = torch::cat(indices).contiguous();
  samples.dataset = std::make_shared<dataset::ConcatDataset>(datasets);
  samples.class_names = samples.dataset->class_names();
  if (truth_known) samples.truth = torch::cat(truth).contiguous();
  return samples;
}

Audited audit_samples(const AuditedSamples& samples, const eval::AuditOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  std::optional<Progress> bar;
  auto result = eval::audit_labels(samples.rows, samples.labels,
                                   static_cast<int64_t>(samples.class_names.size()), options,
                                   [&bar](int64_t done, int64_t most) {
                                     if (!bar) bar.emplace("auditing labels", most, "stages");
                                     bar->update(done);
                                   });
  bar.reset();
  auto order = eval::worst_first(result.score);
  return {.result = std::move(result),
          .order = std::move(order),
          .seconds = std::chrono::duration<double>(Clock::now() - started).count()};
}

void write_label_issues(const std::filesystem::path& file, const AuditedSamples& samples,
                        const Audited& audited) {
  std::string text = "index,sample,given,suggested,score,split\n";
  for (const int64_t i : audited.order) {
    const auto [split, index] = samples.place(i);
    text += report::CsvRow()
                .whole(index)
                .text(samples.name(i))
                .text(samples.class_name(samples.labels, i))
                .text(samples.class_name(audited.result.suggested, i))
                .number(audited.score(i))
                .text(split)
                .line();
  }
  io::write_file_atomically(file, text);
}

void write_issues(const std::filesystem::path& file, const AuditedSamples& samples,
                  const Audited& audited) {
  const auto& table = *samples.table;
  const bool has_id = !table.columns.id.empty();
  std::string text = concat("row,", has_id ? "id," : "",
                            "given_label,predicted_label,label_quality,is_label_issue\n");
  for (int64_t i = 0; i < samples.size(); ++i) {
    const double score = audited.score(i);
    report::CsvRow row;
    row.whole(i);
    if (has_id) row.exact(table.id_of(i));
    row.exact(samples.class_name(samples.labels, i))
        .exact(samples.class_name(audited.result.suggested, i))
        .number(1 - score)
        .exact(score > eval::kFlagged ? "true" : "false");
    text += row.line();
  }
  io::write_file_atomically(file, text);
}

AuditReport report_audit(const AuditedSamples& samples, const Audited& audited, size_t count) {
  const auto& result = audited.result;
  AuditReport report{.samples = samples.size(),
                     .classes = static_cast<int64_t>(samples.class_names.size()),
                     .splits = report_splits(samples),
                     .skill = result.skill,
                     .flagged = result.flagged,
                     .expected_precision = result.expected_precision,
                     .noise_rate = result.noise_rate,
                     .mistakes = report_label_errors(samples, result.noise_matrix),
                     .seconds = audited.seconds};
  for (size_t k = 0; k < std::min(count, audited.order.size()); ++k) {
    report.worst.push_back(report_issue(samples, audited, audited.order[k]));
  }
  if (samples.truth.defined()) {
    report.check = eval::score_audit(result, samples.labels, samples.truth);
  }
  const auto matrix = result.noise_matrix.contiguous();
  for (int64_t c = 0; c < matrix.size(0); ++c) {
    const double* row = matrix.data_ptr<double>() + c * matrix.size(1);
    report.noise_matrix.emplace_back(row, row + matrix.size(1));
  }
  return report;
}

namespace {

namespace fs = std::filesystem;

constexpr size_t kReportedSamples = 10;
constexpr size_t kSheetSamples = 60;

/// Features of all labeled samples of a run: the training split, and the test split if it has the
/// same classes.
AuditedSamples encode_samples(const AuditRunRequest& request, const io::RunPaths& run,
                              const Logger& logger) {
  const auto opened_run = open_trained_run(run, request.data, request.context);
  const auto& trained = opened_run.trained;
  const auto& opened = opened_run.data.dataset;
  const auto cache = data::open_feature_cache(request.context);
  const auto encode = [&](const std::string& name, const dataset::DatasetPtr& split) {
    const auto set = embed_samples(
        trained, data::as_model_input(split, trained.input, cache),
        {.label = "embedding " + name + " samples", .threads = opened_run.threads}, logger);
    return EncodedSplit{.name = name,
                        .dataset = split,
                        .features = set.features,
                        .labels = set.labels,
                        .indices = set.indices};
  };
  const auto split = opened.unlabeled ? opened.reference : opened.train;
  const bool same_classes = split->class_names() == opened.test->class_names();
  logger->info("auditing {}{}", counted(split->size(), "training label"),
               same_classes ? " and " + counted(opened.test->size(), "test label") : "");
  std::vector<EncodedSplit> splits = {encode("train", split)};
  if (split == opened.train) splits[0].clean_labels = opened.clean_train_labels;
  // Validation samples are only available as model input: audio is already converted to features,
  // and their clean labels are not kept. Exclude them in these cases.
  const auto& validation = opened_run.data.validation;
  if (validation && validation->kind() == split->kind() && opened.clean_train_labels.empty()) {
    splits.push_back(encode("validation", validation));
  }
  if (same_classes) splits.push_back(encode("test", opened.test));
  return join_splits(splits);
}

std::string sheet_summary(const eval::AuditResult& result, int64_t samples) {
  if (!result.skill.informative) {
    return "These features do not separate the classes: do not use this list.";
  }
  if (result.flagged == 0) return fmt::format("None of {} labels is probably wrong.", samples);
  return fmt::format("{} of {} {} probably wrong; expected precision {:.0f} %.", result.flagged,
                     counted(samples, "label"), result.flagged == 1 ? "is" : "are",
                     100 * result.expected_precision);
}

void write_sheet(const AuditRunRequest& request, const AuditedSamples& samples,
                 const Audited& audited) {
  report::LabelIssueSheet sheet{.dataset = samples.dataset,
                                .issues = {},
                                .class_names = samples.class_names,
                                .title = request.run.lexically_normal().string(),
                                .summary = sheet_summary(audited.result, samples.size()),
                                .most = kSheetSamples};
  const auto flagged = static_cast<size_t>(audited.result.flagged);
  for (size_t k = 0; k < flagged; ++k) {
    const int64_t i = audited.order[k];
    report::LabelIssue issue{.index = samples.index(i),
                             .given = samples.labels[i].item<int64_t>(),
                             .suggested = audited.result.suggested[i].item<int64_t>(),
                             .score = audited.score(i)};
    if (samples.truth.defined()) {
      issue.is_mislabeled = issue.given != samples.truth[i].item<int64_t>();
    }
    sheet.issues.push_back(issue);
  }
  report::write_label_issue_sheet(request.sheet, sheet);
}

/// Writes rows and labels in the format of `embed` and appends the paths to `files`.
void write_features(const fs::path& file, const AuditedSamples& samples,
                    std::vector<fs::path>& files) {
  auto labels = file;
  labels.replace_extension(".labels.npy");
  write_array(file, samples.rows.to(torch::kFloat32));
  write_array(labels, samples.labels);
  files.push_back(file);
  files.push_back(labels);
}

void check_npy_name(const fs::path& file) {
  if (!file.empty() && file.extension() != ".npy") {
    fail("cannot write features to ", io::printable(file.string()), ", expected a .npy file");
  }
}

}  // namespace

AuditOutput audit_run(const AuditRunRequest& request, const Logger& logger) {
  if (!request.sheet.empty()) report::check_label_issue_sheet_name(request.sheet);
  check_npy_name(request.features);
  const auto run = io::find_run(request.run);
  const auto samples = encode_samples(request, run, logger);
  const auto audited = audit_samples(samples, request.options);
  const auto output = request.output.empty() ? run.root / "label_issues.csv" : request.output;
  write_label_issues(output, samples, audited);
  AuditOutput result{.report = report_audit(samples, audited, kReportedSamples), .files = {output}};
  if (!request.sheet.empty()) {
    write_sheet(request, samples, audited);
    result.files.push_back(request.sheet);
  }
  if (!request.features.empty()) write_features(request.features, samples, result.files);
  return result;
}

AuditOutput audit_table(const AuditTableRequest& request, const Logger& logger) {
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
  write_issues(request.output, samples, audited);
  return {.report = report_audit(samples, audited, kReportedSamples), .files = {request.output}};
}

AuditOutput audit_arrays(const AuditArraysRequest& request) {
  set_threads(0);
  const auto arrays = read_labeled(request.embeddings, request.labels);
  const AuditedSamples samples{.rows = arrays.embeddings,
                               .labels = arrays.labels.contiguous(),
                               .indices = torch::arange(arrays.labels.size(0)),
                               .class_names = arrays.class_names};
  const auto audited = audit_samples(samples, request.options);
  write_label_issues(request.output, samples, audited);
  return {.report = report_audit(samples, audited, kReportedSamples), .files = {request.output}};
}

}  // namespace projnce::inference
