#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>

namespace projnce::projection {

/// Rows grouped by label. Labels may be any integers; the K labels that occur are numbered 0..K-1
/// in ascending order.
struct ClassGroups {
  torch::Tensor ids;     // [M], int64: the class number of each row
  torch::Tensor labels;  // [K], int64: the label of each class
  torch::Tensor counts;  // [K], int64: number of rows of each class, at least 1
  /// The same on the CPU, which can be read without waiting for the device; null if the tensors are
  /// on the CPU or if it is unknown.
  std::shared_ptr<const ClassGroups> host = nullptr;

  /// K.
  int64_t size() const { return labels.size(0); }
};

/// Groups rows by their labels.
/// REQUIRES: `labels` is [M] int64 with M >= 1.
ClassGroups group_by_class(const torch::Tensor& labels);

/// Same, with the result on `device`. Labels on the CPU are grouped without waiting for the device.
ClassGroups group_by_class(const torch::Tensor& labels, const torch::Device& device);

/// The groups on the CPU. Waits for the device unless `groups.host` is set.
ClassGroups on_host(const ClassGroups& groups);

/// Sum over the rows of each class, [M, D] -> [K, D]; differentiable.
torch::Tensor class_sums(const ClassGroups& groups, const torch::Tensor& rows);

/// Mean over the rows of each class, [M, D] -> [K, D]; differentiable.
torch::Tensor class_means(const ClassGroups& groups, const torch::Tensor& rows);

/// Expands vectors [K, D] of the classes present to [C, D], indexed by label; NaN for other
/// classes. REQUIRES: labels in 0..C-1.
torch::Tensor vectors_by_label(const ClassGroups& groups, const torch::Tensor& vectors,
                               int64_t num_classes);

/// L2-normalizes rows; a zero row stays zero with zero gradient.
torch::Tensor unit_rows(const torch::Tensor& rows);

/// Selects the rows of the class vectors [C, D] whose labels occur: [K, D]. Throws an Error that
/// begins with `name` if a label is outside 0..C-1.
torch::Tensor select_class_vectors(const torch::Tensor& matrix, const ClassGroups& groups,
                                   const std::string& name);

/// Throws an Error that begins with `name` if a label is outside 0..num_classes-1.
void check_labels(const torch::Tensor& labels, int64_t num_classes, const std::string& name);

}  // namespace projnce::projection
