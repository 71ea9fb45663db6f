#include "projnce/report/build/report_builder.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/eval/accuracy.h"
#include "projnce/inference/array_files.h"
#include "projnce/inference/audit.h"
#include "projnce/inference/embedding_map.h"
#include "projnce/inference/results_json.h"
#include "projnce/io/printable.h"

namespace projnce::report {

namespace {

using nlohmann::ordered_json;

constexpr int64_t kLargestMap = 50'000;           // maximum number of samples mapped as a whole
constexpr int64_t kFewestMapped = 4;              // samples
constexpr size_t kImageBytes = 150;               // per sample on a large map
constexpr size_t kSmallestImageBudget = 400'000;  // of a split
constexpr size_t kShownIssues = 60;
constexpr int64_t kFewestIssues = 12;  // shown even if fewer are flagged
constexpr size_t kIssueImageBytes = 2500;
constexpr size_t kLongestName = 120;
constexpr uint64_t kChoiceSeed = 0x70616765;  // selects the samples shown of a large split

/// Predictions of the run's readout.
struct ReportPredictions {
  torch::Tensor labels;      // [N], int64
  torch::Tensor similarity;  // [N], float32: probability; in runs of older versions the score
};

ReportPredictions predict_for_report(const inference::EmbeddedSet& set, const EvaluatedRun& run) {
  const torch::NoGradGuard no_gradient;
  const auto& readout = run.trained.readout;
  const auto scores = inference::readout_scores(run.trained, set);
  const auto labels = eval::predict_class(scores);
  const auto shown = readout.calibrated() ? inference::readout_probabilities(readout, scores)
                     : readout.protocol == eval::Protocol::kLogits ? scores.softmax(1)
                                                                   : scores;
  return {labels.contiguous(),
          shown.gather(1, labels.unsqueeze(1)).squeeze(1).to(torch::kFloat32).contiguous()};
}

std::vector<int64_t> longs(const torch::Tensor& tensor) {
  const auto flat = tensor.to(torch::kLong).contiguous();
  return {flat.data_ptr<int64_t>(), flat.data_ptr<int64_t>() + flat.numel()};
}

std::vector<float> floats(const torch::Tensor& tensor) {
  const auto flat = tensor.to(torch::kFloat32).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

std::vector<int64_t> count_confusion(const torch::Tensor& labels, const torch::Tensor& predicted,
                                     int64_t classes) {
  return longs(torch::bincount(labels * classes + predicted, {}, classes * classes));
}

/// Chooses at most `most` random rows, including `wanted`, in ascending order.
torch::Tensor choose_rows(int64_t rows, int64_t most, const std::vector<int64_t>& wanted) {
  std::set<int64_t> chosen(wanted.begin(), wanted.end());
  std::vector<int64_t> order(static_cast<size_t>(rows));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  if (rows > most) Random(kChoiceSeed).shuffle(order);
  for (const int64_t row : order) {
    if (static_cast<int64_t>(chosen.size()) >= std::min(rows, most)) break;
    chosen.insert(row);
  }
  return torch::tensor(std::vector<int64_t>(chosen.begin(), chosen.end()), torch::kLong);
}

std::string report_name(const dataset::Dataset& split, int64_t index) {
  auto name = io::printable(split.sample_name(index));
  return name.size() > kLongestName ? "..." + name.substr(name.size() - kLongestName) : name;
}

/// Returns the names of samples, or an empty list if all names are just the index.
std::vector<std::string> report_names(const dataset::Dataset& split,
                                      const std::vector<int64_t>& indices) {
  std::vector<std::string> names;
  bool has_names = false;
  for (const int64_t i : indices) {
    names.push_back(report_name(split, i));
    has_names = has_names || names.back() != std::to_string(i);
  }
  return has_names ? names : std::vector<std::string>{};
}

/// Returns the clean labels of the reference samples; undefined if no label noise was injected.
torch::Tensor true_labels(const EvaluatedRun& run) {
  const auto& opened = run.data.dataset;
  if (opened.clean_train_labels.empty() || opened.reference || run.reference != run.data.reference)
    return {};
  return torch::tensor(opened.clean_train_labels, torch::kLong)
      .index({run.samples.reference.indices});
}

inference::EncodedSplit encoded(const char* name, const dataset::DatasetPtr& dataset,
                                const inference::EmbeddedSet& set) {
  return {.name = name,
          .dataset = dataset,
          .features = set.features,
          .labels = set.labels,
          .indices = set.indices};
}

/// Returns the samples to audit, in the order of splits of `projnce audit`; nullopt if training
/// used other labels (coarse ones) or not all training samples are available.
std::optional<inference::AuditedSamples> find_audited_samples(const EvaluatedRun& run) {
  const auto& opened = run.data.dataset;
  const bool trained_on = !opened.reference || opened.unlabeled;
  if (!trained_on || run.reference != run.data.reference) return std::nullopt;
  std::vector<inference::EncodedSplit> splits = {
      encoded("train", run.reference, run.samples.reference)};
  if (!opened.reference) splits[0].clean_labels = opened.clean_train_labels;
  if (run.reference->class_names() == run.data.test_split->class_names()) {
    splits.push_back(encoded("test", run.data.test_split, run.samples.test));
  }
  if (run.validation && run.reference->class_names() == run.data.validation->class_names()) {
    splits.push_back(encoded("validation", run.data.validation, *run.validation));
    splits.back().clean_labels = run.data.held_out.clean_labels;
  }
  return inference::join_splits(splits);
}

/// Returns the audited splits as stored: audio instead of spectrograms.
dataset::ConcatDataset stored_samples(const EvaluatedRun& run,
                                      const std::vector<inference::AuditedSplit>& audited) {
  const auto& opened = run.data.dataset;
  std::vector<dataset::DatasetPtr> splits;
  for (const auto& split : audited) {
    splits.push_back(split.name == "test"         ? opened.test
                     : split.name == "validation" ? run.data.held_out.samples
                     : opened.reference           ? opened.reference
                                                  : opened.train);
  }
  return dataset::ConcatDataset(splits);
}

/// Computes the sample data of a report, one step after the other.
class ReportBuilder {
 public:
  ReportBuilder(const EvaluatedRun& run, const config::ReportOptions& options, const Logger& logger)
      : run_(run), options_(options), logger_(logger) {}

  ReportSamples make() {
    report_.class_names = run_.data.class_names();
    report_.protocol = eval::protocol_name(run_.trained.readout.protocol);
    check_stop();
    audit();
    check_stop();
    map_test();
    check_stop();
    map_train();
    write_report_samples(run_.paths.samples(), report_);
    return std::move(report_);
  }

 private:
  void check_stop() const {
    if (run_.stop_requested && run_.stop_requested()) {
      fail_runtime(Hint{concat("run `projnce report ", run_.paths.root.string(), "` to create it")},
                   "the report was interrupted");
    }
  }

  /// Runs a step; if it fails, the report lacks only the result of this step.
  template <class Step>
  void attempt(const char* what, const Step& step) {
    try {
      step();
    } catch (const Error& error) {
      report_.notes.push_back(concat(what, ": ", error.what(), "."));
      logger_->warn("incomplete report. {}", report_.notes.back());
    }
  }

  void audit() {
    samples_ = find_audited_samples(run_);
    if (!samples_) {
      report_.notes.push_back(
          "Label audit: omitted, because not all training samples are available with their "
          "training "
          "labels; run `projnce audit RUN` instead.");
      return;
    }
    attempt("Label audit", [this] {
      audited_ = inference::audit_samples(*samples_, {});
      inference::write_label_issues(run_.paths.label_issues(), *samples_, *audited_);
      add_worst_labels();
    });
  }

  void add_worst_labels() {
    const auto wanted = std::max(audited_->result.flagged, kFewestIssues);
    const auto most = std::min<size_t>(kShownIssues, static_cast<size_t>(wanted));
    report_.audit = inference::audit_json(inference::report_audit(*samples_, *audited_, most));
    report_.audit.erase("noise_matrix");
    std::vector<int64_t> shown;
    for (size_t k = 0; k < report_.audit["worst"].size(); ++k) {
      auto& issue = report_.audit["worst"][k];
      const int64_t row = audited_->order[k];
      issue["name"] = report_name(*samples_->dataset, samples_->index(row));
      issue.erase("sample");
      issue["wrong"] = samples_->truth.defined()
                           ? ordered_json(samples_->labels[row].item<int64_t>() !=
                                          samples_->truth[row].item<int64_t>())
                           : ordered_json();
      shown.push_back(samples_->index(row));
      const auto split = samples_->place(row).first;
      if (split == "train") worst_rows_.push_back(row);
      if (split == "test") worst_test_rows_.push_back(row - first_test_row());
    }
    report_.worst = make_thumbnail_sheets(
        samples_->dataset, shown,
        {.bytes = kIssueImageBytes * shown.size(), .largest_side = 96, .decoding = decoding()});
    report_.clips = dataset::make_audio_excerpts(stored_samples(run_, samples_->splits), shown);
  }

  /// Index of the first test sample in the audit, if it covers the test split.
  int64_t first_test_row() const { return run_.samples.reference.labels.size(0); }
  bool audited_split(std::string_view name) const {
    return audited_ && std::any_of(samples_->splits.begin(), samples_->splits.end(),
                                   [&](const auto& split) { return split.name == name; });
  }

  void map_test() {
    const auto& set = run_.samples.test;
    const auto predictions = predict_for_report(set, run_);
    const auto classes = static_cast<int64_t>(report_.class_names.size());
    report_.confusion = count_confusion(set.labels, predictions.labels, classes);
    attempt("Map of test samples", [&] {
      const int64_t rows = set.labels.size(0);
      const auto whole =
          rows <= kLargestMap ? std::optional(map_rows(set.embeddings)) : std::nullopt;
      if (whole) inference::write_array(run_.paths.tsne(), whole->positions);
      const auto chosen = choose_rows(rows, test_points(), worst_test_rows_);
      auto map = whole ? inference::PlaneMap{whole->positions.index({chosen}), whole->how, {}}
                       : map_rows(set.embeddings.index({chosen}));
      report_.test = describe(set, run_.data.test_split, chosen, predictions, map);
      if (audited_split("test")) add_audit(*report_.test, chosen + first_test_row());
    });
  }

  void map_train() {
    attempt("Map of training samples", [&] {
      const auto& set = run_.samples.reference;
      const auto chosen = choose_rows(set.labels.size(0), train_points(), worst_rows_);
      auto train = describe(set, run_.reference, chosen, predict_for_report(set, run_),
                            map_rows(set.embeddings.index({chosen})));
      const auto truth = true_labels(run_);
      if (truth.defined()) train.truth = longs(truth.index({chosen}));
      if (audited_split("train")) add_audit(train, chosen);
      report_.train = std::move(train);
    });
  }

  /// Adds scores and suggested labels of these rows of the audit.
  void add_audit(MappedSamples& mapped, const torch::Tensor& rows) const {
    mapped.audit_score = floats(audited_->result.score.index({rows}));
    mapped.suggested = longs(audited_->result.suggested.index({rows}));
  }

  static inference::PlaneMap map_rows(const torch::Tensor& rows) {
    if (rows.size(0) < kFewestMapped) {
      fail("there are ", counted(rows.size(0), "sample"), "; a map needs at least ", kFewestMapped);
    }
    return inference::map_by_tsne(rows, {});
  }

  MappedSamples describe(const inference::EmbeddedSet& set, const dataset::DatasetPtr& split,
                         const torch::Tensor& chosen, const ReportPredictions& predictions,
                         const inference::PlaneMap& map) const {
    MappedSamples mapped;
    mapped.total = split->size();
    mapped.how = map.how;
    mapped.positions = floats(map.positions);
    mapped.indices = longs(set.indices.index({chosen}));
    mapped.labels = longs(set.labels.index({chosen}));
    mapped.predicted = longs(predictions.labels.index({chosen}));
    mapped.similarity = floats(predictions.similarity.index({chosen}));
    mapped.names = report_names(*split, mapped.indices);
    mapped.images =
        make_thumbnail_sheets(split, mapped.indices,
                              {.bytes = std::max(kImageBytes * mapped.size(), kSmallestImageBudget),
                               .largest_side = 64,
                               .decoding = decoding()});
    return mapped;
  }

  /// Each split gets half of the points, plus what the other does not use.
  int64_t test_points() const {
    const int64_t train = run_.samples.reference.labels.size(0);
    return std::max(options_.max_points / 2, options_.max_points - train);
  }
  int64_t train_points() const {
    const int64_t test = std::min(test_points(), run_.samples.test.labels.size(0));
    return std::max<int64_t>(options_.max_points - test, 1);
  }
  dataset::DecodeAllOptions decoding() const { return {.threads = run_.threads}; }

  const EvaluatedRun& run_;
  const config::ReportOptions& options_;
  const Logger& logger_;
  ReportSamples report_;
  std::optional<inference::AuditedSamples> samples_;
  std::optional<inference::Audited> audited_;
  std::vector<int64_t> worst_rows_;  // of the reference samples
  std::vector<int64_t> worst_test_rows_;
};

}  // namespace

ReportSamples write_report_data(const EvaluatedRun& run, const config::ReportOptions& options,
                                const Logger& logger) {
  return ReportBuilder(run, options, logger).make();
}

}  // namespace projnce::report
