#include "projnce/dataset/relabelled.h"

#include <utility>

#include "projnce/core/error.h"

namespace projnce {

RelabelledDataset::RelabelledDataset(DatasetPtr base, std::vector<int64_t> labels)
    : DatasetWrapper(std::move(base)), labels_(std::move(labels)) {
  if (static_cast<int64_t>(labels_.size()) != DatasetWrapper::base().size()) {
    fail("there are ", labels_.size(), " labels, expected one for each of ",
         DatasetWrapper::base().size(), " samples");
  }
  const auto classes = static_cast<int64_t>(DatasetWrapper::base().class_names().size());
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] < 0 || labels_[i] >= classes) {
      fail("sample ", i, " has label ", labels_[i], ", expected 0 to ", classes - 1);
    }
  }
}

}  // namespace projnce
