#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Some samples of another dataset, in the order of `indices`; the classes stay as they are.
class SubsetDataset : public Dataset {
 public:
  SubsetDataset(DatasetPtr base, std::vector<int64_t> indices);

  int64_t size() const override;
  const std::vector<std::string>& class_names() const override;
  int64_t label(int64_t index) const override;
  std::string sample_name(int64_t index) const override;
  Image decode(int64_t index) const override;

 private:
  DatasetPtr base_;
  std::vector<int64_t> indices_;
};

}  // namespace projnce
