#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

/// Another dataset whose identities have been computed, so that files are hashed once.
class IdentifiedDataset : public DatasetWrapper {
 public:
  /// REQUIRES: one id for each sample.
  IdentifiedDataset(DatasetPtr base, std::vector<SampleId> ids)
      : DatasetWrapper(std::move(base)), ids_(std::move(ids)) {}

  Sample decode_part(int64_t index, const PictureNeeds& needs) const override {
    return base().decode_part(index, needs);
  }
  SampleId identity(int64_t index) const override { return ids_.at(static_cast<size_t>(index)); }

 private:
  std::vector<SampleId> ids_;
};

inline DatasetPtr with_identities(const DatasetPtr& base, int threads) {
  return std::make_shared<IdentifiedDataset>(base, sample_ids(*base, threads));
}

}  // namespace projnce
