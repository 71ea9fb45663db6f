#include "projnce/information/mixed_ksg.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "projnce/core/error.h"

namespace projnce {

namespace {

constexpr double kSame = 1e-15;  // distances up to this are equal rows
constexpr int64_t kGrain = 16;   // anchors per parallel task

/// Rows of doubles, one after the other.
struct Points {
  torch::Tensor keep_alive;
  const double* data;
  int64_t count;
  int64_t dim;

  const double* row(int64_t i) const { return data + i * dim; }
};

Points points_of(const torch::Tensor& tensor, const char* name) {
  if (!tensor.defined() || tensor.dim() != 2 || tensor.numel() == 0) {
    fail("mixed KSG: ", name, " must be a matrix with a row for each sample");
  }
  const auto values = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  if (!torch::isfinite(values).all().item<bool>()) {
    fail("mixed KSG: ", name, " holds a value that is not finite");
  }
  return {values, values.data_ptr<double>(), values.size(0), values.size(1)};
}

/// Max-norm distance, or anything above `limit` once it is above.
double distance(const Points& points, int64_t i, int64_t j, double limit) {
  const double* a = points.row(i);
  const double* b = points.row(j);
  double largest = 0;
  for (int64_t c = 0; c < points.dim; ++c) {
    largest = std::max(largest, std::abs(a[c] - b[c]));
    if (largest > limit) break;
  }
  return largest;
}

/// Distance from row i to its k-th nearest other row in the joint space.
double neighbour_distance(const Points& x, const Points& y, int64_t i, int64_t k) {
  std::vector<double> nearest;  // max-heap of the k smallest so far
  for (int64_t j = 0; j < x.count; ++j) {
    if (j == i) continue;
    const bool full = static_cast<int64_t>(nearest.size()) == k;
    const auto limit = full ? nearest.front() : std::numeric_limits<double>::infinity();
    auto d = distance(y, i, j, limit);
    if (d <= limit) d = std::max(d, distance(x, i, j, limit));
    if (full && d >= limit) continue;
    if (full) {
      std::pop_heap(nearest.begin(), nearest.end());
      nearest.pop_back();
    }
    nearest.push_back(d);
    std::push_heap(nearest.begin(), nearest.end());
  }
  return nearest.front();
}

struct NeighbourCounts {
  int64_t joint = 0;
  int64_t x = 0;
  int64_t y = 0;
};

NeighbourCounts count_around(const Points& x, const Points& y, int64_t i, double rho) {
  const bool tied = rho == 0;
  const auto near = [&](double d) { return tied ? d <= kSame : d < rho; };
  const auto limit = tied ? kSame : rho;
  NeighbourCounts counts;
  for (int64_t j = 0; j < x.count; ++j) {
    const bool in_x = near(distance(x, i, j, limit));
    const bool in_y = near(distance(y, i, j, limit));
    counts.x += in_x;
    counts.y += in_y;
    counts.joint += in_x && in_y;
  }
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
  const auto xs = points_of(x, "x");
  const auto ys = points_of(y, "y");
  const auto count = xs.count;
  if (ys.count != count) {
    fail("mixed KSG: x has ", count, " rows and y ", ys.count, "; they must be equal");
  }
  if (k < 1 || k >= count) {
    fail("mixed KSG: k = ", k, " must be between 1 and ", count - 1, ", one less than the rows");
  }
  const auto psi = digammas(count);
  const auto psi_of = [&psi](int64_t n) { return psi[static_cast<size_t>(n)]; };
  std::vector<double> terms(static_cast<size_t>(count));
  at::parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto rho = neighbour_distance(xs, ys, i, k);
      const auto around = count_around(xs, ys, i, rho);
      const auto neighbours = rho == 0 ? around.joint : k;
      terms[static_cast<size_t>(i)] = psi_of(neighbours) - psi_of(around.x) - psi_of(around.y);
    }
  });
  double sum = 0;  // in order, so that threads do not change the result
  for (const auto term : terms) sum += term;
  return sum / static_cast<double>(count) + std::log(static_cast<double>(count));
}

double label_information(const torch::Tensor& embeddings, const torch::Tensor& labels,
                         const LabelInformationOptions& options) {
  if (!std::isfinite(options.label_scale) || options.label_scale <= 0) {
    fail("mixed KSG: label_scale = ", options.label_scale, " must be a number above 0");
  }
  if (!labels.defined() || labels.dim() != 1 || labels.numel() == 0 ||
      !at::isIntegralType(labels.scalar_type(), /*includeBool=*/false)) {
    fail("mixed KSG: expected a list of at least one whole number as labels");
  }
  auto y = labels.to(torch::kFloat64).unsqueeze(1);
  if (options.one_hot) {
    const auto ids = std::get<1>(torch::_unique2(labels, true, true, false));
    y = torch::one_hot(ids).to(torch::kFloat64);
  }
  return mixed_ksg(embeddings, y * options.label_scale, options.k);
}

}  // namespace projnce
