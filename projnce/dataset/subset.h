#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Some samples of another dataset, in the order of `indices`; the classes stay as they are.
class SubsetDataset : public DatasetWrapper {
 public:
  SubsetDataset(DatasetPtr base, std::vector<int64_t> indices);

  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  int64_t label(int64_t index) const override { return base().label(at(index)); }
  std::string sample_name(int64_t index) const override { return base().sample_name(at(index)); }
  Sample decode(int64_t index) const override { return base().decode(at(index)); }
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override {
    return base().decode_part(at(index), needs);
  }
  std::string content_id(int64_t index) const override { return base().content_id(at(index)); }
  SampleId identity(int64_t index) const override { return base().identity(at(index)); }

 private:
  int64_t at(int64_t index) const { return indices_.at(static_cast<size_t>(index)); }

  std::vector<int64_t> indices_;
};

}  // namespace projnce
