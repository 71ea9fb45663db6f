#include "projnce/dataset/subset.h"

#include <utility>

#include "projnce/core/error.h"

namespace projnce {

SubsetDataset::SubsetDataset(DatasetPtr base, std::vector<int64_t> indices)
    : DatasetWrapper(std::move(base)), indices_(std::move(indices)) {
  for (const int64_t index : indices_) {
    if (index < 0 || index >= DatasetWrapper::base().size()) {
      fail("a subset names sample ", index, ", expected 0 to ", DatasetWrapper::base().size() - 1);
    }
  }
}

}  // namespace projnce
