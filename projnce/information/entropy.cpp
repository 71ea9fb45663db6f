#include "projnce/information/entropy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce::information {

namespace {

/// Number of rows of each class that occurs.
torch::Tensor class_sizes(const torch::Tensor& labels, const char* what) {
  if (!labels.defined() || labels.dim() != 1 || labels.size(0) == 0 ||
      !at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    fail(what, ": labels must be a 1-dimensional tensor of at least one integer");
  }
  return std::get<2>(torch::_unique2(labels, true, false, true));
}

}  // namespace

int64_t smallest_class_size(const torch::Tensor& labels) {
  return class_sizes(labels, "smallest class").min().item<int64_t>();
}

double label_entropy(const torch::Tensor& labels) {
  const auto counts = class_sizes(labels, "label entropy").to(torch::kFloat64);
  const auto share = counts / counts.sum();
  // One class has the entropy 0, not -0.
  return 0.0 - (share * share.log()).sum().item<double>();
}

namespace {

constexpr int64_t kSubsets = 10;
constexpr double kStudent = 2.262;  // 97.5 % quantile of Student's t with kSubsets - 1 degrees

/// 0 .. count - 1 in random order.
std::vector<int64_t> shuffled_rows(int64_t count, uint64_t seed) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  Random(seed).shuffle(rows);
  return rows;
}

}  // namespace

std::optional<double> information_margin(const torch::Tensor& embeddings,
                                         const torch::Tensor& labels,
                                         const LabelInformationOptions& options, uint64_t seed) {
  const int64_t count = labels.size(0);
  const int64_t classes = std::get<0>(torch::_unique2(labels)).size(0);
  if (count / kSubsets < 2 * options.k * classes) return {};
  const auto order = torch::tensor(shuffled_rows(count, seed));
  std::vector<double> values;
  for (int64_t subset = 0; subset < kSubsets; ++subset) {
    const int64_t begin = subset * count / kSubsets;
    const auto rows = order.narrow(0, begin, (subset + 1) * count / kSubsets - begin);
    values.push_back(label_information_unchecked(embeddings.index_select(0, rows),
                                                 labels.index_select(0, rows), options));
  }
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kSubsets;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return kStudent * std::sqrt(squares / (kSubsets - 1) / kSubsets);
}

}  // namespace projnce::information
