#pragma once

#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/eval/audit/audit.h"

namespace projnce {

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

Audited audit_samples(const AuditedSamples& samples, const AuditOptions& options);

/// suspects.csv: all of them, the most suspect first.
void write_suspects(const std::filesystem::path& file, const AuditedSamples& samples,
                    const Audited& audited);

/// What was found, with the `told` most suspect samples.
nlohmann::ordered_json tell_audit(const AuditedSamples& samples, const Audited& audited,
                                  size_t told);

}  // namespace projnce
