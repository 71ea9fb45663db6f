#pragma once

#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/eval/audit/audit.h"

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

/// What was found, with the `told` most suspect samples.
nlohmann::ordered_json tell_audit(const AuditedSamples& samples, const Audited& audited,
                                  size_t told);

}  // namespace projnce
