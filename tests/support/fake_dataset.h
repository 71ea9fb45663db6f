#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/dataset.h"

namespace projnce::testing {

/// In-memory samples: sample i is a grayscale 1 x 1 image of value i; samples in `corrupt` throw.
class FakeDataset : public dataset::Dataset {
 public:
  explicit FakeDataset(std::vector<int64_t> labels, std::vector<int64_t> corrupt = {})
      : labels_(std::move(labels)), corrupt_(std::move(corrupt)) {
    const int64_t last = labels_.empty() ? 0 : *std::max_element(labels_.begin(), labels_.end());
    for (int64_t c = 0; c <= last; ++c) names_.push_back(concat("class-", c));
  }

  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override { return concat("sample-", index); }
  Sample decode(int64_t index) const override {
    if (std::count(corrupt_.begin(), corrupt_.end(), index) > 0) {
      fail(sample_name(index), " is corrupt");
    }
    return Image{1, 1, 1, {static_cast<uint8_t>(index)}};
  }

 private:
  std::vector<int64_t> labels_;
  std::vector<int64_t> corrupt_;
  std::vector<std::string> names_;
};

inline dataset::DatasetPtr fake_dataset(std::vector<int64_t> labels,
                                        std::vector<int64_t> corrupt = {}) {
  return std::make_shared<FakeDataset>(std::move(labels), std::move(corrupt));
}

}  // namespace projnce::testing
