#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/dataset.h"

namespace projnce::testing {

/// In-memory samples of any kind; a sample without bytes counts as corrupt.
class SampleDataset : public dataset::Dataset {
 public:
  SampleDataset(SampleKind kind, std::vector<Sample> samples, std::vector<int64_t> labels,
                std::vector<std::string> names)
      : kind_(kind),
        samples_(std::move(samples)),
        labels_(std::move(labels)),
        names_(std::move(names)) {}

  SampleKind kind() const override { return kind_; }
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override { return concat("sample-", index); }
  Sample decode(int64_t index) const override {
    const auto& sample = samples_.at(static_cast<size_t>(index));
    if (bytes_of(sample) == 0) fail(sample_name(index), " is corrupt");
    return sample;
  }

 private:
  SampleKind kind_;
  std::vector<Sample> samples_;
  std::vector<int64_t> labels_;
  std::vector<std::string> names_;
};

inline dataset::DatasetPtr sample_dataset(SampleKind kind, std::vector<Sample> samples,
                                          std::vector<int64_t> labels,
                                          std::vector<std::string> names) {
  return std::make_shared<SampleDataset>(kind, std::move(samples), std::move(labels),
                                         std::move(names));
}

}  // namespace projnce::testing
