#include "projnce/dataset/labels.h"

#include <algorithm>

#include "projnce/core/error.h"

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

void check_two_classes(const Dataset& train) {
  const auto counts = class_counts(train);
  const auto is_used = [](int64_t count) { return count > 0; };
  if (std::count_if(counts.begin(), counts.end(), is_used) > 1) return;
  const Hint hint{"give samples of two classes or more to train on"};
  const auto only = std::find_if(counts.begin(), counts.end(), is_used);
  if (only == counts.end()) fail(hint, "the training part has no samples");
  fail(hint, "the training part has samples of one class only, '",
       train.class_names()[static_cast<size_t>(only - counts.begin())],
       "', expected two classes or more");
}

}  // namespace projnce
