#include "projnce/pipeline/audit.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/core/threads.h"
#include "projnce/io/printable.h"
#include "projnce/pipeline/array_files.h"
#include "projnce/pipeline/embed_part.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/trained_run.h"
#include "projnce/report/label_issue_sheet.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;

constexpr size_t kToldSamples = 10;
constexpr size_t kSheetSamples = 60;

/// All labeled samples of a run as its encoder sees them: the training part, and the test part if
/// it has the same classes.
AuditedSamples encode_samples(const AuditRunRequest& request, const RunPaths& run,
                              const Logger& logger) {
  const auto opened_run = open_trained_run(run, request.data, request.context);
  const auto& trained = opened_run.trained;
  const auto& opened = opened_run.data.dataset;
  const auto cache = open_feature_cache(request.context);
  const auto encode = [&](const std::string& name, const DatasetPtr& part) {
    const auto set = embed_part(
        trained, as_model_input(part, trained.input, cache),
        {.label = "embedding " + name + " samples", .threads = opened_run.threads}, logger);
    return EncodedPart{.name = name,
                       .dataset = part,
                       .features = set.features,
                       .labels = set.labels,
                       .indices = set.indices};
  };
  const auto part = opened.unlabelled ? opened.known : opened.train;
  const bool same_classes = part->class_names() == opened.test->class_names();
  logger->info("auditing {} training labels{}", part->size(),
               same_classes ? fmt::format(" and {} test labels", opened.test->size()) : "");
  std::vector<EncodedPart> parts = {encode("train", part)};
  if (part == opened.train) parts[0].clean_labels = opened.clean_train_labels;
  // Validation samples are at hand as the model takes them. Sounds are not sounds any more then,
  // and which of their labels were made wrong on purpose is not kept: they are left out in these
  // cases.
  const auto& validation = opened_run.data.validation;
  if (validation && validation->kind() == part->kind() && opened.clean_train_labels.empty()) {
    parts.push_back(encode("validation", validation));
  }
  if (same_classes) parts.push_back(encode("test", opened.test));
  return join_parts(parts);
}

std::string sheet_summary(const AuditResult& result, int64_t samples) {
  if (!result.skill.informative) {
    return "These features cannot tell the classes apart: do not use this list.";
  }
  if (result.flagged == 0) return fmt::format("No label of {} is probably wrong.", samples);
  return fmt::format("{} of {} labels are probably wrong; expected precision {:.0f} %.",
                     result.flagged, samples, 100 * result.expected_precision);
}

void write_sheet(const AuditRunRequest& request, const AuditedSamples& samples,
                 const Audited& audited) {
  LabelIssueSheet sheet{.dataset = samples.dataset,
                        .issues = {},
                        .class_names = samples.class_names,
                        .title = request.run.lexically_normal().string(),
                        .summary = sheet_summary(audited.result, samples.size()),
                        .most = kSheetSamples};
  const auto flagged = static_cast<size_t>(audited.result.flagged);
  for (size_t k = 0; k < std::min(kSheetSamples, flagged); ++k) {
    const int64_t i = audited.order[k];
    LabelIssue issue{.index = samples.index(i),
                     .given = samples.labels[i].item<int64_t>(),
                     .suggested = audited.result.suggested[i].item<int64_t>(),
                     .score = audited.score(i)};
    if (samples.truth.defined()) {
      issue.is_mislabeled = issue.given != samples.truth[i].item<int64_t>();
    }
    sheet.issues.push_back(issue);
  }
  write_label_issue_sheet(request.sheet, sheet);
}

/// Writes rows and labels as `embed` does, and adds the files to the list.
void write_judged(const fs::path& file, const AuditedSamples& samples,
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
    fail("features go to a .npy file, not ", printable(file.string()));
  }
}

}  // namespace

FiledAudit audit_run(const AuditRunRequest& request, const Logger& logger) {
  if (!request.sheet.empty()) check_label_issue_sheet_name(request.sheet);
  check_npy_name(request.features);
  const auto run = find_run(request.run);
  const auto samples = encode_samples(request, run, logger);
  const auto audited = audit_samples(samples, request.options);
  const auto output = request.output.empty() ? run.root / "suspects.csv" : request.output;
  write_suspects(output, samples, audited);
  FiledAudit told{.report = report_audit(samples, audited, kToldSamples), .files = {output}};
  if (!request.sheet.empty()) {
    write_sheet(request, samples, audited);
    told.files.push_back(request.sheet);
  }
  if (!request.features.empty()) write_judged(request.features, samples, told.files);
  return told;
}

FiledAudit audit_arrays(const AuditArraysRequest& request) {
  set_threads(0);
  const auto arrays = read_labelled(request.embeddings, request.labels);
  const AuditedSamples samples{.rows = arrays.embeddings,
                               .labels = arrays.labels.contiguous(),
                               .indices = torch::arange(arrays.labels.size(0)),
                               .class_names = arrays.class_names};
  const auto audited = audit_samples(samples, request.options);
  write_suspects(request.output, samples, audited);
  return {.report = report_audit(samples, audited, kToldSamples), .files = {request.output}};
}

}  // namespace projnce
