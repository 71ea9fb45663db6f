#include "projnce/kernel/row_sketch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/core/seed.h"

namespace projnce::kernel {

namespace {

constexpr int64_t kSampleRows = 256;
constexpr int kPowerSteps = 3;
constexpr int32_t kSmallestPart = 128;
constexpr int kDeepestSplit = 32;
constexpr int kCenterSteps = 4;

/// Orthonormalizes rows [count, dim] in order (Gram-Schmidt); linearly dependent rows become 0.
void orthonormalize(std::vector<double>& rows, int64_t count, int64_t dim) {
  for (int64_t a = 0; a < count; ++a) {
    double* row = rows.data() + a * dim;
    const double before = std::inner_product(row, row + dim, row, 0.0);
    for (int pass = 0; pass < 2; ++pass) {  // the second pass removes rounding errors
      for (int64_t b = 0; b < a; ++b) {
        const double* other = rows.data() + b * dim;
        const double along = std::inner_product(row, row + dim, other, 0.0);
        for (int64_t k = 0; k < dim; ++k) row[k] -= along * other[k];
      }
    }
    const double left = std::inner_product(row, row + dim, row, 0.0);
    const double scale = left > 1e-20 * before ? 1 / std::sqrt(left) : 0;
    for (int64_t k = 0; k < dim; ++k) row[k] *= scale;
  }
}

/// Computes the leading directions [kDirections, dim] of a sample of the rows by power iteration.
template <class T>
std::vector<double> principal_directions(const T* rows, int64_t count, int64_t dim) {
  constexpr int64_t kDirections = RowSketch<T>::kDirections;
  std::vector<double> directions(static_cast<size_t>(kDirections * dim));
  for (size_t i = 0; i < directions.size(); ++i) directions[i] = uniform_at(0, i) - 0.5;
  orthonormalize(directions, kDirections, dim);
  const int64_t step = std::max<int64_t>(1, count / kSampleRows);
  for (int power = 0; power < kPowerSteps; ++power) {
    std::vector<double> next(directions.size(), 0);
    for (int64_t r = 0; r < count; r += step) {
      const T* row = rows + r * dim;
      for (int64_t a = 0; a < kDirections; ++a) {
        const double along = std::inner_product(row, row + dim, directions.data() + a * dim, 0.0);
        for (int64_t k = 0; k < dim; ++k) {
          next[static_cast<size_t>(a * dim + k)] += along * static_cast<double>(row[k]);
        }
      }
    }
    directions.swap(next);
    orthonormalize(directions, kDirections, dim);
  }
  return directions;
}

template <class T>
using SketchPoint = std::array<T, RowSketch<T>::kDirections>;

template <class T>
T squared_gap(const T* a, const T* b) {
  T sum = 0;
  for (int64_t k = 0; k < RowSketch<T>::kDirections; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

}  // namespace

template <class T>
RowSketch<T>::RowSketch(const T* rows, int64_t count, int64_t dim)
    : order_(static_cast<size_t>(count)),
      coordinates_(static_cast<size_t>(count * kDirections)),
      residuals_(static_cast<size_t>(count)) {
  project(rows, dim, principal_directions(rows, count, dim));
  std::iota(order_.begin(), order_.end(), 0);
  split(0, static_cast<int32_t>(count), 0);
  const auto coordinates = coordinates_;
  const auto residuals = residuals_;
  for (size_t i = 0; i < order_.size(); ++i) {
    const auto from = static_cast<size_t>(order_[i]);
    residuals_[i] = residuals[from];
    std::copy_n(coordinates.begin() + static_cast<int64_t>(from) * kDirections, kDirections,
                coordinates_.begin() + static_cast<int64_t>(i) * kDirections);
  }
}

template <class T>
void RowSketch<T>::project(const T* rows, int64_t dim, const std::vector<double>& directions) {
  // Exceeds the rounding error of a product of two rows, for the inequality in the header.
  const double rounding = 4 * static_cast<double>(dim + 8) * std::numeric_limits<T>::epsilon();
  std::vector<double> transposed(directions.size());  // [dim, kDirections]
  for (int64_t i = 0; i < kDirections * dim; ++i) {
    transposed[static_cast<size_t>(i % dim * kDirections + i / dim)] =
        directions[static_cast<size_t>(i)];
  }
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < static_cast<int64_t>(order_.size()); ++r) {
    const T* row = rows + r * dim;
    double square = 0;
    std::array<double, kDirections> along = {};
    for (int64_t k = 0; k < dim; ++k) {
      const double x = row[k];
      square += x * x;
      for (int64_t a = 0; a < kDirections; ++a) along[a] += x * transposed[k * kDirections + a];
    }
    double shown = 0;
    for (int64_t a = 0; a < kDirections; ++a) {
      coordinates_[static_cast<size_t>(r * kDirections + a)] = static_cast<T>(along[a]);
      shown += along[a] * along[a];
    }
    const double residual = std::max(0.0, square - shown) + rounding * square;
    residuals_[static_cast<size_t>(r)] = static_cast<T>(std::sqrt(residual));
  }
}

template <class T>
void RowSketch<T>::split(int32_t first, int32_t end, int depth) {
  if (end - first <= kSmallestPart || depth == kDeepestSplit) return;
  const int32_t middle = divide(first, end);
  if (middle == first || middle == end) return;
  split(first, middle, depth + 1);
  split(middle, end, depth + 1);
}

/// Partitions rows first .. end - 1 by the nearer of two centers; returns the first row of the
/// second part.
template <class T>
int32_t RowSketch<T>::divide(int32_t first, int32_t end) {
  const auto at = [this](int32_t row) { return coordinates_.data() + row * kDirections; };
  const auto farthest_from = [&](const T* point) {
    return *std::max_element(order_.begin() + first, order_.begin() + end,
                             [&](int32_t a, int32_t b) {
                               return squared_gap(point, at(a)) < squared_gap(point, at(b));
                             });
  };
  SketchPoint<T> centers[2];
  const T* start = at(farthest_from(at(order_[static_cast<size_t>(first)])));
  std::copy_n(start, kDirections, centers[0].begin());
  std::copy_n(at(farthest_from(start)), kDirections, centers[1].begin());
  const auto is_first = [&](int32_t row) {
    return squared_gap(centers[0].data(), at(row)) <= squared_gap(centers[1].data(), at(row));
  };
  for (int step = 0; step < kCenterSteps; ++step) {
    std::array<double, kDirections> sums[2] = {};
    int64_t counts[2] = {};
    for (int32_t i = first; i < end; ++i) {
      const T* point = at(order_[static_cast<size_t>(i)]);
      const int which = is_first(order_[static_cast<size_t>(i)]) ? 0 : 1;
      ++counts[which];
      for (size_t k = 0; k < kDirections; ++k) sums[which][k] += point[k];
    }
    for (int which = 0; which < 2; ++which) {
      for (size_t k = 0; k < kDirections && counts[which] > 0; ++k) {
        centers[which][k] = static_cast<T>(sums[which][k] / static_cast<double>(counts[which]));
      }
    }
  }
  const auto middle = std::stable_partition(order_.begin() + first, order_.begin() + end, is_first);
  return static_cast<int32_t>(middle - order_.begin());
}

template class RowSketch<float>;
template class RowSketch<double>;

}  // namespace projnce::kernel
