#include "projnce/projection/class_groups.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "projnce/core/device.h"
#include "projnce/core/error.h"

namespace projnce::projection {

namespace {

/// Counts labels in a table over their range; std::nullopt if the table would be much larger than
/// the batch.
std::optional<ClassGroups> group_by_table(const torch::Tensor& labels) {
  const auto dense = labels.contiguous();
  const int64_t* label = dense.data_ptr<int64_t>();
  const int64_t rows = dense.numel();
  const auto [least, most] = std::minmax_element(label, label + rows);
  const auto range = static_cast<uint64_t>(*most) - static_cast<uint64_t>(*least);  // no overflow
  if (range > static_cast<uint64_t>(4 * rows)) return {};
  const int64_t first = *least;
  std::vector<int64_t> count(range + 1);
  for (int64_t i = 0; i < rows; ++i) ++count[static_cast<size_t>(label[i] - first)];
  const int64_t classes =
      std::count_if(count.begin(), count.end(), [](int64_t n) { return n > 0; });

  ClassGroups groups{.ids = torch::empty_like(dense),
                     .labels = torch::empty({classes}, dense.options()),
                     .counts = torch::empty({classes}, dense.options())};
  std::vector<int64_t> number(count.size());
  int64_t next = 0;
  for (size_t value = 0; value < count.size(); ++value) {
    if (count[value] == 0) continue;
    groups.labels.data_ptr<int64_t>()[next] = first + static_cast<int64_t>(value);
    groups.counts.data_ptr<int64_t>()[next] = count[value];
    number[value] = next++;
  }
  int64_t* id = groups.ids.data_ptr<int64_t>();
  for (int64_t i = 0; i < rows; ++i) id[i] = number[static_cast<size_t>(label[i] - first)];
  return groups;
}

/// REQUIRES: labels on the CPU.
ClassGroups group_on_host(const torch::Tensor& labels) {
  if (auto groups = group_by_table(labels)) return *groups;
  const auto [values, ids, counts] =
      torch::_unique2(labels, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/true);
  return {.ids = ids, .labels = values, .counts = counts};
}

}  // namespace

ClassGroups group_by_class(const torch::Tensor& labels) {
  return group_by_class(labels, labels.device());
}

ClassGroups group_by_class(const torch::Tensor& labels, const torch::Device& device) {
  auto host = group_on_host(labels.cpu());
  if (device.is_cpu()) return host;
  return {.ids = upload(host.ids, device),
          .labels = upload(host.labels, device),
          .counts = upload(host.counts, device),
          .host = std::make_shared<const ClassGroups>(std::move(host))};
}

ClassGroups on_host(const ClassGroups& groups) {
  if (groups.host) return *groups.host;
  if (groups.ids.is_cpu()) return groups;
  return {.ids = groups.ids.cpu(), .labels = groups.labels.cpu(), .counts = groups.counts.cpu()};
}

torch::Tensor class_sums(const ClassGroups& groups, const torch::Tensor& rows) {
  return torch::zeros({groups.size(), rows.size(1)}, rows.options())
      .index_add(0, groups.ids, rows);  // [K, D]
}

torch::Tensor class_means(const ClassGroups& groups, const torch::Tensor& rows) {
  return class_sums(groups, rows) / groups.counts.to(rows.scalar_type()).unsqueeze(1);
}

torch::Tensor vectors_by_label(const ClassGroups& groups, const torch::Tensor& vectors,
                               int64_t num_classes) {
  return torch::full({num_classes, vectors.size(1)}, std::numeric_limits<double>::quiet_NaN(),
                     vectors.options())
      .index_copy(0, groups.labels, vectors);
}

torch::Tensor unit_rows(const torch::Tensor& rows) {
  const auto squares = rows.square().sum(/*dim=*/1, /*keepdim=*/true);
  const auto zero = squares == 0;
  // Masked before the root and the quotient: otherwise the gradient would be NaN, not zero.
  return rows.masked_fill(zero, 0) / squares.masked_fill(zero, 1).sqrt();
}

void check_labels(const torch::Tensor& labels, int64_t num_classes, const std::string& name) {
  const auto lowest = labels.min().item<int64_t>();
  const auto highest = labels.max().item<int64_t>();
  if (lowest >= 0 && highest < num_classes) return;
  fail(name, ": label ", lowest < 0 ? lowest : highest, " is outside 0..", num_classes - 1,
       ", the classes it was made for");
}

torch::Tensor select_class_vectors(const torch::Tensor& matrix, const ClassGroups& groups,
                                   const std::string& name) {
  check_labels(on_host(groups).labels, matrix.size(0), name);
  return matrix.index_select(0, groups.labels);
}

}  // namespace projnce::projection
