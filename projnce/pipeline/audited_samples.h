#pragma once

#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/eval/audit/audit.h"
#include "projnce/eval/audit/audit_score.h"

namespace projnce {

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
  DatasetPtr dataset = nullptr;  ///< all parts, one after the other; null: arrays
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
  DatasetPtr dataset;
  torch::Tensor features;
  torch::Tensor labels;
  torch::Tensor indices;
  std::vector<int64_t> clean_labels = {};  ///< of all samples; empty: `labels` are what is known
};

/// Joins parts of one dataset. Labels that were made wrong on purpose are known to be.
AuditedSamples join_parts(const std::vector<EncodedPart>& parts);

/// An audit and the order in which it tells samples.
struct Audited {
  AuditResult result;
  std::vector<int64_t> order;
  double seconds;

  double score(int64_t i) const { return result.score.data_ptr<double>()[i]; }
};

Audited audit_samples(const AuditedSamples& samples, const AuditOptions& options);

/// suspects.csv: all samples, the most suspect first.
void write_suspects(const std::filesystem::path& file, const AuditedSamples& samples,
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
    std::string labelled;
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
  AuditSkill skill = {};
  int64_t flagged = 0;
  double expected_precision = 0;  ///< NaN if none is flagged
  double noise_rate = 0;          ///< NaN if the features are not informative
  std::vector<Mistake> mistakes = {};
  std::vector<Suspect> worst = {};       ///< the most suspect first
  std::optional<AuditScore> check = {};  ///< if it is known which labels are wrong
  std::vector<std::vector<double>> noise_matrix = {};
  double seconds = 0;
};

/// The report with the `told` most suspect samples.
AuditReport report_audit(const AuditedSamples& samples, const Audited& audited, size_t told);

/// What `audit --json` prints; a page holds the most of it.
nlohmann::ordered_json audit_json(const AuditReport& report);

/// audit_json of the report.
nlohmann::ordered_json tell_audit(const AuditedSamples& samples, const Audited& audited,
                                  size_t told);

}  // namespace projnce
