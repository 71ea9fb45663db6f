#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// The samples of several datasets, one after the other.
class ConcatDataset : public Dataset {
 public:
  /// At least one part; all of one kind and with the same classes.
  explicit ConcatDataset(std::vector<DatasetPtr> parts);

  SampleKind kind() const override { return parts_.front()->kind(); }
  int64_t size() const override { return ends_.back(); }
  const std::vector<std::string>& class_names() const override {
    return parts_.front()->class_names();
  }
  int64_t label(int64_t index) const override;
  std::string sample_name(int64_t index) const override;
  Sample decode(int64_t index) const override;
  Sample decode_part(int64_t index, const PictureNeeds& needs) const override;
  std::string content_id(int64_t index) const override;

 private:
  struct Place {
    const Dataset& part;
    int64_t index;
  };
  Place find(int64_t index) const;

  std::vector<DatasetPtr> parts_;
  std::vector<int64_t> ends_;  // index behind the last sample of each part
};

}  // namespace projnce
