#include "projnce/projection/class_matrix.h"

#include "projnce/core/error.h"

namespace projnce {

void check_labels(const torch::Tensor& labels, int64_t num_classes, const std::string& name) {
  const auto lowest = labels.min().item<int64_t>();
  const auto highest = labels.max().item<int64_t>();
  if (lowest >= 0 && highest < num_classes) return;
  fail(name, ": label ", lowest < 0 ? lowest : highest, " is outside 0..", num_classes - 1,
       ", the classes it was made for");
}

torch::Tensor select_class_vectors(const torch::Tensor& matrix, const torch::Tensor& labels,
                                   const std::string& name) {
  check_labels(labels, matrix.size(0), name);
  return matrix.index_select(0, labels);
}

}  // namespace projnce
