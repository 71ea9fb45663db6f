#pragma once

#include <torch/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/registry.h"
#include "projnce/eval/audit/audit.h"
#include "projnce/inference/array_files.h"

namespace projnce::inference {

/// One split of the audited data: consecutive rows.
struct AuditedSplit {
  std::string name;  ///< "train" or "test"
  int64_t size = 0;  ///< samples of the split; fewer rows if some do not decode
};

/// Samples to audit, with their labels and names.
struct AuditedSamples {
  torch::Tensor rows;
  torch::Tensor labels;   // [N]
  torch::Tensor indices;  // [N], index in `dataset` or row of the file
  std::vector<std::string> class_names;
  dataset::DatasetPtr dataset = nullptr;  ///< concatenation of all splits; null: arrays
  std::vector<AuditedSplit> splits = {};
  torch::Tensor truth = {};  // [N], clean labels; undefined if unknown
  std::shared_ptr<const dataset::LabeledTable> table = nullptr;  ///< null: not from a table

  int64_t size() const { return labels.size(0); }
  /// Index of row `i` in the dataset.
  int64_t index(int64_t i) const { return indices.data_ptr<int64_t>()[i]; }
  /// Name of the split and index in it; "" and the row of the file for arrays.
  std::pair<std::string, int64_t> place(int64_t i) const;
  const std::string& class_name(const torch::Tensor& of, int64_t i) const {
    return class_names[static_cast<size_t>(of.data_ptr<int64_t>()[i])];
  }
  std::string name(int64_t i) const {
    if (table) return table->id_of(index(i));
    return dataset ? dataset->sample_name(index(i)) : std::to_string(index(i));
  }
};

/// One split with the features of an encoder.
struct EncodedSplit {
  std::string name;
  dataset::DatasetPtr dataset;
  torch::Tensor features;
  torch::Tensor labels;
  torch::Tensor indices;
  std::vector<int64_t> clean_labels = {};  ///< of all samples; empty: unknown
};

/// Concatenates the splits of a dataset. Sets `truth` if any split has clean labels.
AuditedSamples join_splits(const std::vector<EncodedSplit>& splits);

/// Result of an audit, and the samples in order of decreasing score.
struct Audited {
  eval::AuditResult result;
  std::vector<int64_t> order;
  double seconds;

  double score(int64_t i) const { return result.score.data_ptr<double>()[i]; }
};

Audited audit_samples(const AuditedSamples& samples, const eval::AuditOptions& options);

/// Writes label_issues.csv: all samples, most likely mislabeled first.
void write_label_issues(const std::filesystem::path& file, const AuditedSamples& samples,
                        const Audited& audited);

/// Writes the issues of a table: row, id (with an id column), given_label, predicted_label,
/// label_quality, is_label_issue. Texts are exactly those of the table. REQUIRES: the samples are
/// all rows of a table.
void write_issues(const std::filesystem::path& file, const AuditedSamples& samples,
                  const Audited& audited);

/// Findings of an audit. Names are printable.
struct AuditReport {
  struct Split {
    std::string name;
    int64_t samples = 0;
    int64_t audited = 0;  ///< fewer if some do not decode
  };
  /// Entry of the noise matrix: samples of one class that have the label of another.
  struct LabelError {
    std::string class_name;
    std::string labeled;
    double share = 0;  ///< fraction of the true class
  };
  struct LabelIssue {
    std::string split;
    int64_t index = 0;  ///< in the split
    std::string sample;
    std::string given;
    std::string suggested;
    double score = 0;
    std::string text = {};  ///< start of the text of a row of a table; "" for none
  };
  int64_t samples = 0;
  int64_t classes = 0;
  std::vector<Split> splits = {};
  eval::AuditSkill skill = {};
  int64_t flagged = 0;
  double expected_precision = 0;  ///< NaN if no sample is flagged
  double noise_rate = 0;          ///< NaN if the features are not informative
  std::vector<LabelError> mistakes = {};
  std::vector<LabelIssue> worst = {};          ///< highest score first
  std::optional<eval::AuditScore> check = {};  ///< if the clean labels are known
  std::vector<std::vector<double>> noise_matrix = {};
  double seconds = 0;
};

/// Reports an audit with the `count` samples of highest score.
AuditReport report_audit(const AuditedSamples& samples, const Audited& audited, size_t count);

struct AuditRunRequest {
  std::filesystem::path run;
  std::filesystem::path data = {};  ///< current path of its data; empty: as recorded in the run
  std::filesystem::path output;     ///< CSV; empty: label_issues.csv in the run
  std::filesystem::path sheet;      ///< .png or .html of the top label issues; empty: none
  std::filesystem::path features;   ///< .npy of the audited features and their labels; empty: none
  eval::AuditOptions options;
  dataset::OpenContext context;  ///< dataset search paths
};

/// Audit report and the written files.
struct AuditOutput {
  AuditReport report;
  std::vector<std::filesystem::path> files;
};

/// Ranks all labeled samples of a run, including the test split, by the probability that their
/// label is wrong, from the features of the encoder. If the configuration of the run adds label
/// noise, also reports precision and recall.
AuditOutput audit_run(const AuditRunRequest& request, const Logger& logger);

struct AuditTableRequest {
  TableRequest table;
  std::filesystem::path output;  ///< CSV
  eval::AuditOptions options;
};

/// Audits the labels of a table and writes one row per row of the table, in its order; see
/// write_issues.
AuditOutput audit_table(const AuditTableRequest& request, const Logger& logger);

struct AuditArraysRequest {
  std::filesystem::path embeddings;
  std::filesystem::path labels;
  std::filesystem::path output;  ///< CSV
  eval::AuditOptions options;
};

/// Audits embeddings and labels from .npy files.
AuditOutput audit_arrays(const AuditArraysRequest& request);

}  // namespace projnce::inference
