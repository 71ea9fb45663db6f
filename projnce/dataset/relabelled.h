#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// The samples of another dataset under other labels of the same classes.
class RelabelledDataset : public Dataset {
 public:
  /// Throws where `labels` does not give each sample one of the classes.
  RelabelledDataset(DatasetPtr base, std::vector<int64_t> labels);

  int64_t size() const override { return base_->size(); }
  const std::vector<std::string>& class_names() const override { return base_->class_names(); }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override { return base_->sample_name(index); }
  Image decode(int64_t index) const override { return base_->decode(index); }

 private:
  DatasetPtr base_;
  std::vector<int64_t> labels_;
};

}  // namespace projnce
