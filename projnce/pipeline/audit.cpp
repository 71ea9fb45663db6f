#include "projnce/pipeline/audit.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <tuple>

#include "projnce/core/error.h"
#include "projnce/core/progress.h"
#include "projnce/core/threads.h"
#include "projnce/core/toml.h"
#include "projnce/eval/audit/audit_score.h"
#include "projnce/io/atomic_file.h"
#include "projnce/io/printable.h"
#include "projnce/pipeline/array_files.h"
#include "projnce/pipeline/embed_part.h"
#include "projnce/pipeline/run_directory.h"
#include "projnce/pipeline/run_evaluation.h"
#include "projnce/pipeline/trained_model.h"
#include "projnce/report/csv.h"
#include "projnce/report/suspect_sheet.h"

namespace projnce {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kToldSamples = 10;
constexpr size_t kToldEntries = 10;      // of the noise matrix
constexpr double kSmallestEntry = 0.01;  // that is worth telling
constexpr size_t kSheetSamples = 60;

/// What is audited, and what its samples are called.
struct AuditedSamples {
  torch::Tensor rows;
  torch::Tensor labels;   // [N]
  torch::Tensor indices;  // [N], in the dataset or the file
  std::vector<std::string> class_names;
  DatasetPtr dataset = nullptr;  ///< null: arrays
  torch::Tensor truth = {};      // [N]; undefined where it is not known

  int64_t index(int64_t i) const { return indices[i].item<int64_t>(); }
  const std::string& class_name(const torch::Tensor& of, int64_t i) const {
    return class_names[static_cast<size_t>(of.data_ptr<int64_t>()[i])];
  }
  std::string name(int64_t i) const {
    return dataset ? dataset->sample_name(index(i)) : std::to_string(index(i));
  }
};

/// An audit and the order in which it tells samples.
struct Audited {
  AuditResult result;
  std::vector<int64_t> order;
  double seconds;

  double score(int64_t i) const { return result.score.data_ptr<double>()[i]; }
};

Audited audit_samples(const AuditedSamples& samples, const AuditOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  std::optional<Progress> bar;
  auto result =
      audit_labels(samples.rows, samples.labels, static_cast<int64_t>(samples.class_names.size()),
                   options, [&bar](int64_t done, int64_t most) {
                     if (!bar) bar.emplace("judging labels", most, "folds");
                     bar->update(done);
                   });
  bar.reset();
  auto order = worst_first(result.score);
  return {.result = std::move(result),
          .order = std::move(order),
          .seconds = std::chrono::duration<double>(Clock::now() - started).count()};
}

void write_suspects(const fs::path& file, const AuditedSamples& samples, const Audited& audited) {
  std::string text = "index,sample,given,suggested,score\n";
  for (const int64_t i : audited.order) {
    text += CsvRow()
                .whole(samples.index(i))
                .text(samples.name(i))
                .text(samples.class_name(samples.labels, i))
                .text(samples.class_name(audited.result.suggested, i))
                .number(audited.score(i))
                .line();
  }
  write_file_atomically(file, text);
}

ordered_json tell_sample(const AuditedSamples& samples, const Audited& audited, int64_t i) {
  return {{"index", samples.index(i)},
          {"sample", printable(samples.name(i))},
          {"given", printable(samples.class_name(samples.labels, i))},
          {"suggested", printable(samples.class_name(audited.result.suggested, i))},
          {"score", audited.score(i)}};
}

/// The most frequent mistakes: which class was given which label, and how often.
ordered_json tell_mistakes(const AuditedSamples& samples, const torch::Tensor& matrix) {
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
  auto told = ordered_json::array();
  for (const auto& [share, c, g] : entries) {
    told.push_back({{"class", printable(samples.class_names[c])},
                    {"labelled", printable(samples.class_names[g])},
                    {"share", -share}});
  }
  return told;
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

ordered_json tell_audit(const AuditedSamples& samples, const Audited& audited) {
  const auto& result = audited.result;
  ordered_json told{{"samples", samples.labels.size(0)},
                    {"classes", samples.class_names.size()},
                    {"flagged", result.flagged},
                    {"noise_rate", result.noise_rate},
                    {"mistakes", tell_mistakes(samples, result.noise_matrix)},
                    {"worst", ordered_json::array()}};
  for (size_t k = 0; k < std::min(kToldSamples, audited.order.size()); ++k) {
    told["worst"].push_back(tell_sample(samples, audited, audited.order[k]));
  }
  if (samples.truth.defined()) {
    told["check"] = tell_score(score_audit(result, samples.labels, samples.truth));
  }
  const auto matrix = result.noise_matrix.contiguous();
  told["noise_matrix"] = ordered_json::array();
  for (int64_t c = 0; c < matrix.size(0); ++c) {
    const double* row = matrix.data_ptr<double>() + c * matrix.size(1);
    told["noise_matrix"].push_back(std::vector<double>(row, row + matrix.size(1)));
  }
  told["seconds"] = audited.seconds;
  return told;
}

/// The training samples of a run as its encoder sees them.
AuditedSamples embed_training_part(const AuditRunRequest& request, const RunPaths& run,
                                   const Logger& logger) {
  const auto trained = load_trained_model(run.encoder());
  auto config = read_toml(run.config());
  const auto settings = read_run_settings(config);
  const int threads = set_threads(static_cast<int>(settings.threads));
  const auto data = open_training_data(config, settings, threads, request.context);
  const auto& opened = data.dataset;
  const auto part = opened.unlabelled ? opened.known : opened.train;
  logger->info("auditing {} training labels", part->size());
  const auto cache = open_feature_cache(request.context);
  const auto set = embed_part(trained, as_model_input(part, trained.input, cache),
                              {.label = "embedding training samples", .threads = threads}, logger);
  AuditedSamples samples{.rows = set.features,
                         .labels = set.labels.contiguous(),
                         .indices = set.indices,
                         .class_names = part->class_names(),
                         .dataset = part};
  if (!opened.clean_train_labels.empty() && part == opened.train) {
    samples.truth = torch::tensor(opened.clean_train_labels, torch::kLong).index({set.indices});
  }
  return samples;
}

void write_sheet(const AuditRunRequest& request, const AuditedSamples& samples,
                 const Audited& audited) {
  SuspectSheet sheet{.dataset = samples.dataset,
                     .suspects = {},
                     .class_names = samples.class_names,
                     .title = request.run.lexically_normal().string(),
                     .summary = fmt::format("{} of {} labels are probably wrong.",
                                            audited.result.flagged, samples.labels.size(0)),
                     .most = kSheetSamples};
  const auto flagged = static_cast<size_t>(audited.result.flagged);
  for (size_t k = 0; k < std::min(kSheetSamples, flagged); ++k) {
    const int64_t i = audited.order[k];
    Suspect suspect{.index = samples.index(i),
                    .given = samples.labels[i].item<int64_t>(),
                    .suggested = audited.result.suggested[i].item<int64_t>(),
                    .score = audited.score(i)};
    if (samples.truth.defined()) {
      suspect.really_wrong = suspect.given != samples.truth[i].item<int64_t>();
    }
    sheet.suspects.push_back(suspect);
  }
  write_suspect_sheet(request.sheet, sheet);
}

/// Writes rows and labels as `embed` does.
ordered_json write_judged(const fs::path& file, const AuditedSamples& samples) {
  auto labels = file;
  labels.replace_extension(".labels.npy");
  write_array(file, samples.rows.to(torch::kFloat32));
  write_array(labels, samples.labels);
  return {file.string(), labels.string()};
}

void check_npy_name(const fs::path& file) {
  if (!file.empty() && file.extension() != ".npy") {
    fail("features go to a .npy file, not ", printable(file.string()));
  }
}

}  // namespace

ordered_json audit_run(const AuditRunRequest& request, const Logger& logger) {
  if (!request.sheet.empty()) check_suspect_sheet_name(request.sheet);
  check_npy_name(request.features);
  const auto run = find_run(request.run);
  const auto samples = embed_training_part(request, run, logger);
  const auto audited = audit_samples(samples, request.options);
  const auto output = request.output.empty() ? run.root / "suspects.csv" : request.output;
  auto told = tell_audit(samples, audited);
  write_suspects(output, samples, audited);
  told["files"] = {output.string()};
  if (!request.sheet.empty()) {
    write_sheet(request, samples, audited);
    told["files"].push_back(request.sheet.string());
  }
  if (!request.features.empty()) {
    for (const auto& file : write_judged(request.features, samples)) {
      told["files"].push_back(file);
    }
  }
  return told;
}

ordered_json audit_arrays(const AuditArraysRequest& request) {
  set_threads(0);
  const auto arrays = read_labelled(request.embeddings, request.labels);
  const AuditedSamples samples{.rows = arrays.embeddings,
                               .labels = arrays.labels.contiguous(),
                               .indices = torch::arange(arrays.labels.size(0)),
                               .class_names = arrays.class_names};
  const auto audited = audit_samples(samples, request.options);
  auto told = tell_audit(samples, audited);
  write_suspects(request.output, samples, audited);
  told["files"] = {request.output.string()};
  return told;
}

}  // namespace projnce
