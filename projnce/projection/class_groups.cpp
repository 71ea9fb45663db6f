#include "projnce/projection/class_groups.h"

namespace projnce {

ClassGroups group_by_class(const torch::Tensor& labels) {
  const auto [values, ids, counts] =
      torch::_unique2(labels, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/true);
  return {.ids = ids, .labels = values, .counts = counts};
}

torch::Tensor class_sums(const ClassGroups& groups, const torch::Tensor& rows) {
  return torch::zeros({groups.size(), rows.size(1)}, rows.options())
      .index_add(0, groups.ids, rows);  // [K, D]
}

torch::Tensor class_means(const ClassGroups& groups, const torch::Tensor& rows) {
  return class_sums(groups, rows) / groups.counts.to(rows.scalar_type()).unsqueeze(1);
}

torch::Tensor unit_rows(const torch::Tensor& rows) {
  const auto squares = rows.square().sum(/*dim=*/1, /*keepdim=*/true);
  const auto zero = squares == 0;
  // Filled before the root and the quotient: afterwards the gradient would be NaN, not zero.
  return rows.masked_fill(zero, 0) / squares.masked_fill(zero, 1).sqrt();
}

}  // namespace projnce
