#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce::dataset {

/// Rows of a matrix as samples.
struct LabeledVectors {
  std::string name;  ///< for messages
  uint64_t dimensions = 0;
  std::vector<float> values;  // [N, dimensions]
  std::vector<int64_t> labels;
};

/// Labeled vectors in memory, named by their row.
class VectorDataset : public Dataset {
 public:
  VectorDataset(LabeledVectors vectors, std::vector<std::string> class_names)
      : vectors_(std::move(vectors)), names_(std::move(class_names)) {}

  SampleKind kind() const override { return SampleKind::kVector; }
  int64_t size() const override { return static_cast<int64_t>(vectors_.labels.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override {
    return vectors_.labels.at(static_cast<size_t>(index));
  }
  std::string sample_name(int64_t index) const override { return std::to_string(index); }
  Sample decode(int64_t index) const override {
    const auto begin = vectors_.values.begin() + index * static_cast<int64_t>(vectors_.dimensions);
    return Features{.channels = static_cast<int>(vectors_.dimensions),
                    .height = 1,
                    .width = 1,
                    .values = {begin, begin + static_cast<int64_t>(vectors_.dimensions)}};
  }

 private:
  LabeledVectors vectors_;
  std::vector<std::string> names_;
};

}  // namespace projnce::dataset
