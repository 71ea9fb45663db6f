#pragma once

#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/registry.h"
#include "projnce/eval/audit/audit.h"

namespace projnce::inference {

/// Some consecutive rows of what is audited, and where they come from.
struct AuditedPart {
  std::string name;  ///< "train" or "test"
  int64_t size = 0;  ///< samples of the part in the dataset; fewer rows if some do not decode
};

/// What is audited, and what its samples are called.
struct AuditedSamples {
  torch::Tensor rows;
  torch::Tensor labels;   // [N]
  torch::Tensor indices;  // [N], in `dataset` or the file
  std::vector<std::string> class_names;
  dataset::DatasetPtr dataset = nullptr;  ///< all parts, one after the other; null: arrays
  std::vector<AuditedPart> parts = {};
  torch::Tensor truth = {};  // [N]; undefined if it is not known

  int64_t size() const { return labels.size(0); }
  /// In the dataset.
  int64_t index(int64_t i) const { return indices.data_ptr<int64_t>()[i]; }
  /// The part's name and the index in it; "" and the file's row for arrays.
  std::pair<std::string, int64_t> place(int64_t i) const;
  const std::string& class_name(const torch::Tensor& of, int64_t i) const {
    return class_names[static_cast<size_t>(of.data_ptr<int64_t>()[i])];
  }
  std::string name(int64_t i) const {
    return dataset ? dataset->sample_name(index(i)) : std::to_string(index(i));
  }
};

/// One part as an encoder sees it.
struct EncodedPart {
  std::string name;
  dataset::DatasetPtr dataset;
  torch::Tensor features;
  torch::Tensor labels;
  torch::Tensor indices;
  std::vector<int64_t> clean_labels = {};  ///< of all samples; empty: `labels` are what is known
};

/// Joins parts of one dataset. Labels that were made wrong on purpose are known to be.
AuditedSamples join_parts(const std::vector<EncodedPart>& parts);

/// An audit and the order in which it tells samples.
struct Audited {
  eval::AuditResult result;
  std::vector<int64_t> order;
  double seconds;

  double score(int64_t i) const { return result.score.data_ptr<double>()[i]; }
};

Audited audit_samples(const AuditedSamples& samples, const eval::AuditOptions& options);

/// suspects.csv: all samples, the most suspect first.
void write_label_issues(const std::filesystem::path& file, const AuditedSamples& samples,
                        const Audited& audited);

/// What an audit found, ready to be shown: names are printable.
struct AuditReport {
  struct Part {
    std::string name;
    int64_t samples = 0;
    int64_t audited = 0;  ///< fewer if some do not decode
  };
  /// A class whose samples carry the label of another.
  struct Mistake {
    std::string class_name;
    std::string labeled;
    double share = 0;  ///< of the true class
  };
  struct Suspect {
    std::string part;
    int64_t index = 0;  ///< in the part
    std::string sample;
    std::string given;
    std::string suggested;
    double score = 0;
  };
  int64_t samples = 0;
  int64_t classes = 0;
  std::vector<Part> parts = {};
  eval::AuditSkill skill = {};
  int64_t flagged = 0;
  double expected_precision = 0;  ///< NaN if none is flagged
  double noise_rate = 0;          ///< NaN if the features are not informative
  std::vector<Mistake> mistakes = {};
  std::vector<Suspect> worst = {};             ///< the most suspect first
  std::optional<eval::AuditScore> check = {};  ///< if it is known which labels are wrong
  std::vector<std::vector<double>> noise_matrix = {};
  double seconds = 0;
};

/// The report with the `told` most suspect samples.
AuditReport report_audit(const AuditedSamples& samples, const Audited& audited, size_t told);

/// What `audit --json` prints; a page holds the most of it.
nlohmann::ordered_json audit_json(const AuditReport& report);

/// audit_json of the report.
nlohmann::ordered_json audit_to_json(const AuditedSamples& samples, const Audited& audited,
                                     size_t told);

struct AuditRunRequest {
  std::filesystem::path run;
  std::filesystem::path data = {};  ///< where its data lies now; empty: where the run says
  std::filesystem::path output;     ///< CSV; empty: suspects.csv in the run
  std::filesystem::path sheet;      ///< .png or .html of the worst; empty: none
  std::filesystem::path features;   ///< .npy of what was judged, labels beside; empty: none
  eval::AuditOptions options;
  dataset::OpenContext context;  ///< where datasets are looked for
};

/// An audit and the files that it wrote.
struct FiledAudit {
  AuditReport report;
  std::vector<std::filesystem::path> files;
};

/// Ranks all labeled samples of a run, test part included, by how likely their label is wrong, from
/// the encoder's features. If the run's configuration made labels wrong on purpose, precision and
/// recall are reported too.
FiledAudit audit_run(const AuditRunRequest& request, const Logger& logger);

struct AuditArraysRequest {
  std::filesystem::path embeddings;
  std::filesystem::path labels;
  std::filesystem::path output;  ///< CSV
  eval::AuditOptions options;
};

/// The same of .npy files that any program wrote.
FiledAudit audit_arrays(const AuditArraysRequest& request);

}  // namespace projnce::inference
