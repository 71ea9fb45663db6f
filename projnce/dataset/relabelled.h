#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// The samples of another dataset under other labels of the same classes.
class RelabelledDataset : public DatasetWrapper {
 public:
  /// Throws where `labels` does not give each sample one of the classes.
  RelabelledDataset(DatasetPtr base, std::vector<int64_t> labels);

  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override {
    return base().decode_part(index, needs);
  }

 private:
  std::vector<int64_t> labels_;
};

}  // namespace projnce
