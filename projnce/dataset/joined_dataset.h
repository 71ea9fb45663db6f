#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// The samples of two datasets, one after the other. The classes are the first one's.
class JoinedDataset : public Dataset {
 public:
  JoinedDataset(DatasetPtr first, DatasetPtr second)
      : first_(std::move(first)), second_(std::move(second)) {}

  SampleKind kind() const override { return first_->kind(); }
  int64_t size() const override { return first_->size() + second_->size(); }
  const std::vector<std::string>& class_names() const override { return first_->class_names(); }
  int64_t label(int64_t index) const override { return part(index).label(row(index)); }
  std::string sample_name(int64_t index) const override {
    return part(index).sample_name(row(index));
  }
  Sample decode(int64_t index) const override { return part(index).decode(row(index)); }
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override {
    return part(index).decode_part(row(index), needs);
  }
  std::string content_id(int64_t index) const override {
    return part(index).content_id(row(index));
  }
  SampleId identity(int64_t index) const override { return part(index).identity(row(index)); }

 private:
  const Dataset& part(int64_t index) const { return index < first_->size() ? *first_ : *second_; }
  int64_t row(int64_t index) const {
    return index < first_->size() ? index : index - first_->size();
  }

  DatasetPtr first_;
  DatasetPtr second_;
};

}  // namespace projnce
