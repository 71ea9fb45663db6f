#include "projnce/dataset/subset.h"

#include <utility>

#include "projnce/core/error.h"

namespace projnce {

SubsetDataset::SubsetDataset(DatasetPtr base, std::vector<int64_t> indices)
    : base_(std::move(base)), indices_(std::move(indices)) {
  for (const int64_t index : indices_) {
    if (index < 0 || index >= base_->size()) {
      fail("a subset names sample ", index, ", expected 0 to ", base_->size() - 1);
    }
  }
}

int64_t SubsetDataset::size() const {
  return static_cast<int64_t>(indices_.size());
}

const std::vector<std::string>& SubsetDataset::class_names() const {
  return base_->class_names();
}

int64_t SubsetDataset::label(int64_t index) const {
  return base_->label(indices_.at(static_cast<size_t>(index)));
}

std::string SubsetDataset::sample_name(int64_t index) const {
  return base_->sample_name(indices_.at(static_cast<size_t>(index)));
}

Image SubsetDataset::decode(int64_t index) const {
  return base_->decode(indices_.at(static_cast<size_t>(index)));
}

}  // namespace projnce
