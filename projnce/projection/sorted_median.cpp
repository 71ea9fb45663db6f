#include "projnce/projection/sorted_median.h"

namespace projnce {

namespace {

/// Rows in ascending order of (class, value, index), for every coordinate on its own: [M, D].
torch::Tensor order_within_classes(const torch::Tensor& rows, const torch::Tensor& ids) {
  const auto by_value = torch::argsort(rows, /*stable=*/true, /*dim=*/0);
  const auto classes = ids.unsqueeze(1).expand_as(rows).gather(0, by_value);
  const auto by_class = torch::argsort(classes, /*stable=*/true, /*dim=*/0);
  return by_value.gather(0, by_class);
}

}  // namespace

torch::Tensor sorted_medians(const torch::Tensor& rows, const ClassGroups& groups,
                             MedianKind kind) {
  const auto order = order_within_classes(rows.detach(), groups.ids);  // [M, D]
  const auto first = groups.counts.cumsum(0) - groups.counts;          // [K]
  const auto value_at = [&](const torch::Tensor& rank) {               // [K] -> [K, D]
    return rows.gather(0, order.index_select(0, first + rank));
  };
  const auto lower = value_at((groups.counts - 1).div(2, "floor"));
  if (kind == MedianKind::kLower) return lower;
  return (lower + value_at(groups.counts.div(2, "floor"))) / 2;
}

}  // namespace projnce
