#include "projnce/pipeline/audited_samples.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "projnce/core/progress.h"
#include "projnce/dataset/concat.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/printable.h"
#include "projnce/report/csv.h"

namespace projnce {

namespace {

using nlohmann::ordered_json;

constexpr size_t kToldEntries = 10;      // of the noise matrix
constexpr double kSmallestEntry = 0.01;  // that is worth telling

AuditReport::Suspect report_suspect(const AuditedSamples& samples, const Audited& audited,
                                    int64_t i) {
  const auto [part, index] = samples.place(i);
  return {.part = part,
          .index = index,
          .sample = printable(samples.name(i)),
          .given = printable(samples.class_name(samples.labels, i)),
          .suggested = printable(samples.class_name(audited.result.suggested, i)),
          .score = audited.score(i)};
}

/// The most frequent mistakes: which class was given which label, and how often.
std::vector<AuditReport::Mistake> report_mistakes(const AuditedSamples& samples,
                                                  const torch::Tensor& matrix) {
  std::vector<std::tuple<double, size_t, size_t>> entries;
  const auto shares = matrix.accessor<double, 2>();
  for (size_t c = 0; c < samples.class_names.size(); ++c) {
    for (size_t g = 0; g < samples.class_names.size(); ++g) {
      const double share = shares[int64_t(c)][int64_t(g)];
      if (c != g && share >= kSmallestEntry) entries.emplace_back(-share, c, g);
    }
  }
  std::sort(entries.begin(), entries.end());
  entries.resize(std::min(entries.size(), kToldEntries));
  std::vector<AuditReport::Mistake> mistakes;
  for (const auto& [share, c, g] : entries) {
    mistakes.push_back({.class_name = printable(samples.class_names[c]),
                        .labelled = printable(samples.class_names[g]),
                        .share = -share});
  }
  return mistakes;
}

std::vector<AuditReport::Part> report_parts(const AuditedSamples& samples) {
  std::map<std::string, int64_t> audited;
  for (int64_t i = 0; i < samples.size(); ++i) ++audited[samples.place(i).first];
  std::vector<AuditReport::Part> parts;
  for (const auto& part : samples.parts) {
    parts.push_back({.name = part.name, .samples = part.size, .audited = audited[part.name]});
  }
  return parts;
}

ordered_json number_or_null(double value) {
  return std::isnan(value) ? ordered_json() : ordered_json(value);
}

ordered_json tell_score(const AuditScore& score) {
  return {{"wrong", score.wrong},
          {"precision", number_or_null(score.precision)},
          {"recall", number_or_null(score.recall)},
          {"average_precision", number_or_null(score.average_precision)},
          {"worst", score.worst},
          {"worst_wrong", score.worst_wrong},
          {"mended", number_or_null(score.mended)}};
}

/// What the audit's classifiers know: see AuditSkill.
ordered_json skill_to_json(const AuditSkill& skill) {
  return {{"informative", skill.informative},
          {"held_out_accuracy", skill.accuracy},
          {"chance_accuracy", skill.chance_accuracy},
          {"information", skill.information},
          {"label_entropy", skill.label_entropy}};
}

}  // namespace

std::pair<std::string, int64_t> AuditedSamples::place(int64_t i) const {
  int64_t at = index(i);
  for (const auto& part : parts) {
    if (at < part.size) return {part.name, at};
    at -= part.size;
  }
  return {"", at};
}

AuditedSamples join_parts(const std::vector<EncodedPart>& parts) {
  AuditedSamples samples;
  std::vector<torch::Tensor> rows;
  std::vector<torch::Tensor> labels;
  std::vector<torch::Tensor> indices;
  std::vector<torch::Tensor> truth;
  std::vector<DatasetPtr> datasets;
  bool truth_known = false;
  int64_t begin = 0;
  for (const auto& part : parts) {
    rows.push_back(part.features);
    labels.push_back(part.labels);
    indices.push_back(part.indices + begin);
    datasets.push_back(part.dataset);
    const auto clean = torch::tensor(part.clean_labels, torch::kLong);
    truth.push_back(part.clean_labels.empty() ? part.labels : clean.index({part.indices}));
    truth_known = truth_known || !part.clean_labels.empty();
    samples.parts.push_back({part.name, part.dataset->size()});
    begin += part.dataset->size();
  }
  samples.rows = torch::cat(rows);
  samples.labels = torch::cat(labels).contiguous();
  samples.indices = torch::cat(indices).contiguous();
  samples.dataset = std::make_shared<ConcatDataset>(datasets);
  samples.class_names = samples.dataset->class_names();
  if (truth_known) samples.truth = torch::cat(truth).contiguous();
  return samples;
}

Audited audit_samples(const AuditedSamples& samples, const AuditOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  std::optional<Progress> bar;
  auto result =
      audit_labels(samples.rows, samples.labels, static_cast<int64_t>(samples.class_names.size()),
                   options, [&bar](int64_t done, int64_t most) {
                     if (!bar) bar.emplace("auditing labels", most, "stages");
                     bar->update(done);
                   });
  bar.reset();
  auto order = worst_first(result.score);
  return {.result = std::move(result),
          .order = std::move(order),
          .seconds = std::chrono::duration<double>(Clock::now() - started).count()};
}

void write_suspects(const std::filesystem::path& file, const AuditedSamples& samples,
                    const Audited& audited) {
  std::string text = "index,sample,given,suggested,score,part\n";
  for (const int64_t i : audited.order) {
    const auto [part, index] = samples.place(i);
    text += CsvRow()
                .whole(index)
                .text(samples.name(i))
                .text(samples.class_name(samples.labels, i))
                .text(samples.class_name(audited.result.suggested, i))
                .number(audited.score(i))
                .text(part)
                .line();
  }
  write_file_atomically(file, text);
}

AuditReport report_audit(const AuditedSamples& samples, const Audited& audited, size_t told) {
  const auto& result = audited.result;
  AuditReport report{.samples = samples.size(),
                     .classes = static_cast<int64_t>(samples.class_names.size()),
                     .parts = report_parts(samples),
                     .skill = result.skill,
                     .flagged = result.flagged,
                     .expected_precision = result.expected_precision,
                     .noise_rate = result.noise_rate,
                     .mistakes = report_mistakes(samples, result.noise_matrix),
                     .seconds = audited.seconds};
  for (size_t k = 0; k < std::min(told, audited.order.size()); ++k) {
    report.worst.push_back(report_suspect(samples, audited, audited.order[k]));
  }
  if (samples.truth.defined()) {
    report.check = score_audit(result, samples.labels, samples.truth);
  }
  const auto matrix = result.noise_matrix.contiguous();
  for (int64_t c = 0; c < matrix.size(0); ++c) {
    const double* row = matrix.data_ptr<double>() + c * matrix.size(1);
    report.noise_matrix.emplace_back(row, row + matrix.size(1));
  }
  return report;
}

ordered_json audit_json(const AuditReport& report) {
  ordered_json json{{"samples", report.samples},
                    {"classes", report.classes},
                    {"parts", ordered_json::array()},
                    {"skill", skill_to_json(report.skill)},
                    {"flagged", report.flagged},
                    {"expected_precision", number_or_null(report.expected_precision)},
                    {"noise_rate", number_or_null(report.noise_rate)},
                    {"mistakes", ordered_json::array()},
                    {"worst", ordered_json::array()}};
  for (const auto& part : report.parts) {
    json["parts"].push_back(
        {{"part", part.name}, {"samples", part.samples}, {"audited", part.audited}});
  }
  for (const auto& mistake : report.mistakes) {
    json["mistakes"].push_back(
        {{"class", mistake.class_name}, {"labelled", mistake.labelled}, {"share", mistake.share}});
  }
  for (const auto& suspect : report.worst) {
    json["worst"].push_back({{"part", suspect.part},
                             {"index", suspect.index},
                             {"sample", suspect.sample},
                             {"given", suspect.given},
                             {"suggested", suspect.suggested},
                             {"score", suspect.score}});
  }
  if (report.check) json["check"] = tell_score(*report.check);
  json["noise_matrix"] = report.noise_matrix;
  json["seconds"] = report.seconds;
  return json;
}

ordered_json tell_audit(const AuditedSamples& samples, const Audited& audited, size_t told) {
  return audit_json(report_audit(samples, audited, told));
}

}  // namespace projnce
