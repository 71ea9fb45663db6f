#include "projnce/information/mixed_ksg.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/information/entropy.h"
#include "projnce/kernel/kth_neighbors.h"

namespace projnce::information {

namespace {

/// Rows at a distance of at most 1e-15 count as equal; the smallest number above it.
const double kAboveSame = std::nextafter(1e-15, 1.0);

/// Converts to a matrix of finite doubles on the CPU, one row per sample.
torch::Tensor samples_of(const torch::Tensor& tensor, const char* name) {
  if (!tensor.defined() || tensor.dim() != 2 || tensor.numel() == 0) {
    fail("mixed KSG: ", name, " must be a matrix with one row per sample");
  }
  const auto values = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  if (!torch::isfinite(values).all().item<bool>()) {
    fail("mixed KSG: ", name, " contains a value that is not finite");
  }
  return values;
}

/// Rows sorted by y, so that samples with equal y (of one class) are adjacent.
struct SortedRows {
  torch::Tensor order;          // [N], int64
  std::vector<int64_t> starts;  // first row of each value of y
};

SortedRows sort_rows(const torch::Tensor& y) {
  const auto count = y.size(0);
  const auto dim = y.size(1);
  const double* data = y.data_ptr<double>();
  const auto row = [&](int64_t i) { return data + i * dim; };
  const auto order = torch::arange(count);
  auto* const rows = order.data_ptr<int64_t>();
  std::stable_sort(rows, rows + count, [&](int64_t i, int64_t j) {
    return std::lexicographical_compare(row(i), row(i) + dim, row(j), row(j) + dim);
  });
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || !std::equal(row(rows[i]), row(rows[i]) + dim, row(rows[i - 1]))) {
      starts.push_back(i);
    }
  }
  return {order, starts};
}

/// x and y of each sample concatenated, in another order; contiguous.
struct JointRows {
  JointRows(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& order)
      : x_dim(x.size(1)), values(torch::empty({x.size(0), x.size(1) + y.size(1)}, x.options())) {
    const auto* sample = order.data_ptr<int64_t>();
    auto* to = values.data_ptr<double>();
    for (int64_t i = 0; i < x.size(0); ++i) {
      to = std::copy_n(x.data_ptr<double>() + sample[i] * x_dim, x_dim, to);
      to = std::copy_n(y.data_ptr<double>() + sample[i] * y.size(1), y.size(1), to);
    }
  }

  int64_t dim() const { return values.size(1); }
  /// A range of columns as rows of their own.
  kernel::MaxNormRows columns(int64_t first, int64_t count,
                              const std::vector<int64_t>& starts) const {
    return {values.data_ptr<double>() + first, values.size(0), count, dim(), starts};
  }

  int64_t x_dim;
  torch::Tensor values;  // [N, Dx + Dy], double
};

struct NeighborCounts {
  std::vector<int64_t> joint;
  std::vector<int64_t> x;
  std::vector<int64_t> y;
};

/// Counts the equal rows (k~, n_x or n_y) of rows that have k others at distance 0.
void count_equal_rows(const kernel::MaxNormRows& joint, const std::vector<double>& distances,
                      std::vector<int64_t>& counts) {
  std::vector<double> limits(distances.size(), 0.0);
  for (size_t i = 0; i < limits.size(); ++i) {
    if (distances[i] == 0) limits[i] = kAboveSame;
  }
  const auto equal = kernel::count_closer(joint, limits);
  for (size_t i = 0; i < limits.size(); ++i) {
    if (distances[i] == 0) counts[i] = equal[i];
  }
}

/// Counts n_x. Rows of a group have equal y, so their distance in x equals the joint distance, and
/// those closer than the k-th neighbor are already counted.
std::vector<int64_t> count_in_x(const kernel::MaxNormRows& x, const kernel::KthNeighbors& nearest) {
  auto counts = kernel::count_closer(x, nearest.distances, kernel::CountedPairs::kOtherGroups);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += nearest.closer_in_group[i];
  return counts;
}

/// k~, n_x and n_y of each row, in the order of `rows`.
NeighborCounts count_neighbors(const JointRows& rows, const std::vector<int64_t>& starts,
                               int64_t k) {
  const auto joint = rows.columns(0, rows.dim(), starts);
  const auto nearest = kernel::kth_neighbors(joint, k);
  NeighborCounts counts{std::vector<int64_t>(nearest.distances.size(), k), {}, {}};
  auto limits = nearest.distances;
  for (auto& limit : limits) {
    if (limit == 0) limit = kAboveSame;
  }
  const bool ties = limits != nearest.distances;
  if (ties) count_equal_rows(joint, nearest.distances, counts.joint);
  const auto x = rows.columns(0, rows.x_dim, starts);
  counts.x = ties ? kernel::count_closer(x, limits) : count_in_x(x, nearest);
  counts.y =
      kernel::count_closer(rows.columns(rows.x_dim, rows.dim() - rows.x_dim, starts), limits);
  return counts;
}

/// psi(n) for n = 1..count, at index n.
std::vector<double> digammas(int64_t count) {
  std::vector<double> psi(static_cast<size_t>(count) + 1);
  double value = -std::numbers::egamma;
  for (size_t n = 1; n < psi.size(); ++n) {
    psi[n] = value;
    value += 1.0 / static_cast<double>(n);
  }
  return psi;
}

}  // namespace

double mixed_ksg(const torch::Tensor& x, const torch::Tensor& y, int64_t k) {
  const auto xs = samples_of(x, "x");
  const auto ys = samples_of(y, "y");
  const auto count = xs.size(0);
  if (ys.size(0) != count) {
    fail("mixed KSG: x has ", counted(count, "row"), " and y has ", ys.size(0),
         ", expected equal numbers");
  }
  if (k < 1 || k >= count) {
    fail("mixed KSG: k = ", k, " must be between 1 and ", count - 1, ", one less than the rows");
  }
  const auto [order, starts] = sort_rows(ys);
  const auto counts = count_neighbors(JointRows(xs, ys, order), starts, k);
  const auto psi = digammas(count);
  const auto psi_of = [&psi](int64_t n) { return psi[static_cast<size_t>(n)]; };
  std::vector<double> terms(static_cast<size_t>(count));
  for (size_t i = 0; i < terms.size(); ++i) {
    terms[order.data_ptr<int64_t>()[i]] =
        psi_of(counts.joint[i]) - psi_of(counts.x[i]) - psi_of(counts.y[i]);
  }
  // Summed in the order of the samples, so that rounding does not depend on the labels.
  const auto sum = std::accumulate(terms.begin(), terms.end(), 0.0);
  return sum / static_cast<double>(count) + std::log(static_cast<double>(count));
}

double fitting_label_scale(const torch::Tensor& embeddings) {
  constexpr double kUnitWithin = 1e-3;
  const auto lengths = embeddings.norm(2, /*dim=*/1);
  if (((lengths - 1).abs() < kUnitWithin).all().item<bool>()) return 2;
  const auto ranges = std::get<0>(embeddings.max(0)) - std::get<0>(embeddings.min(0));
  const double widest = ranges.max().item<double>();
  return widest > 0 ? widest : 1;
}

double label_information_unchecked(const torch::Tensor& embeddings, const torch::Tensor& labels,
                                   const LabelInformationOptions& options) {
  if (!std::isfinite(options.label_scale) || options.label_scale <= 0) {
    fail("mixed KSG: label_scale = ", options.label_scale, " must be a number above 0");
  }
  if (!labels.defined() || labels.dim() != 1 || labels.numel() == 0 ||
      !at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    fail("mixed KSG: labels must be a 1-dimensional tensor of at least one integer");
  }
  auto y = labels.to(torch::kFloat64).unsqueeze(1);
  if (options.one_hot) {
    const auto ids = std::get<1>(torch::_unique2(labels, true, true, false));
    y = torch::one_hot(ids).to(torch::kFloat64);
  }
  return mixed_ksg(embeddings, y * options.label_scale, options.k);
}

double label_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         const LabelInformationOptions& options) {
  const double estimate = label_information_unchecked(embeddings, labels, options);
  const int64_t smallest = smallest_class_size(labels);
  if (options.one_hot && smallest <= options.k) {
    fail(Hint{"lower k, or exclude small classes"}, "mixed KSG: the smallest class has ",
         counted(smallest, "row"), ", expected more than k = ", options.k);
  }
  return estimate;
}

}  // namespace projnce::information
