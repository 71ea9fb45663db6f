#include "projnce/dataset/labels.h"

namespace projnce {

std::vector<int64_t> labels_of(const Dataset& dataset) {
  std::vector<int64_t> labels(static_cast<size_t>(dataset.size()));
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = dataset.label(static_cast<int64_t>(i));
  return labels;
}

std::vector<int64_t> class_counts(const Dataset& dataset) {
  std::vector<int64_t> counts(dataset.class_names().size());
  if (counts.empty()) return counts;  // a dataset without classes labels everything 0
  for (int64_t i = 0; i < dataset.size(); ++i) ++counts.at(static_cast<size_t>(dataset.label(i)));
  return counts;
}

}  // namespace projnce
