#include "projnce/kernel/max_norm_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/kernel/table.h"

namespace projnce {

namespace {

constexpr int64_t kMostRows = 288;    // of a block: whole panels and tiles of every instruction set
constexpr int64_t kFewRows = 64;      // groups smaller than this share a block
constexpr int64_t kSortedFirst = 32;  // coordinates whose order matters: the rest is rarely reached

}  // namespace

MaxNormRows::MaxNormRows(const double* rows, int64_t count, int64_t dim,
                         const std::vector<int64_t>& starts)
    : rows_(rows),
      count_(count),
      dim_(dim),
      floats_((cut(starts), make_floats())),
      panels_(floats_.data(), padded_, dim) {
  measure();
}

void MaxNormRows::cut(const std::vector<int64_t>& starts) {
  const int64_t width = kernels<float>().panel_columns;
  int64_t first = 0;
  const auto add = [&](int64_t length) {
    blocks_.push_back({first, length, padded_});
    padded_ += round_up(length, width);
    first += length;
  };
  for (size_t g = 1; g <= starts.size(); ++g) {
    const int64_t end = g < starts.size() ? starts[g] : count_;
    while (end - first > kMostRows) add(kMostRows);
    if (end - first >= kFewRows || end == count_) add(end - first);
  }
}

void MaxNormRows::choose_scale() {
  double largest = 0;
  for (int64_t i = 0; i < count_ * dim_; ++i) largest = std::max(largest, std::abs(rows_[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);
  // Clamped so that the scale itself is a finite, normal number.
  scale_ = std::ldexp(1.0, std::clamp(-exponent, -1022, 1022));
}

/// Rounding to float moves each of two numbers, and rounding moves their difference, by at most
/// 2^-24 of their size, which makes 4 * 2^-24 of the largest in a column; the fifth part and the
/// last term cover the rounding of rounding, of double, and numbers too small for either.
void MaxNormRows::choose_margin() {
  constexpr double kRounding = 5.0 / (1 << 24);
  constexpr double kTiny = 0x1p-120;
  std::vector<double> largest(static_cast<size_t>(dim_));
  for (int64_t i = 0; i < count_; ++i) {
    for (int64_t k = 0; k < dim_; ++k) {
      largest[k] = std::max(largest[k], std::abs(rows_[i * dim_ + k] * scale_));
    }
  }
  margin_ = 0;
  for (int64_t k = 0; k < dim_; ++k) {
    const double inexact = kRounding * largest[k] + kTiny;
    if (inexact <= margin_) continue;
    // Multiples of 2^-22 of a power of two above them: float holds their differences.
    int exponent = 0;
    std::frexp(largest[k], &exponent);
    const double unit = std::ldexp(1.0, exponent - 22);
    bool exact = largest[k] == 0 || exponent > -90;
    for (int64_t i = 0; exact && i < count_; ++i) {
      const double units = rows_[i * dim_ + k] * scale_ / unit;
      exact = units == std::rint(units);
    }
    if (!exact) margin_ = inexact;
  }
}

AlignedBuffer<float> MaxNormRows::make_floats() {
  choose_scale();
  choose_margin();
  AlignedBuffer<float> floats(padded_ * dim_);
  std::fill_n(floats.data(), padded_ * dim_, std::numeric_limits<float>::infinity());
  for (const auto& [first, length, padded] : blocks_) {
    for (int64_t i = 0; i < length * dim_; ++i) {
      floats[padded * dim_ + i] = static_cast<float>(rows_[first * dim_ + i] * scale_);
    }
  }
  return floats;
}

void MaxNormRows::measure() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  extents_.assign(static_cast<size_t>(blocks() * dim_), {kInf, -kInf, 0, 0});
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks(); ++b) {
    Extent* extent = extents_.data() + b * dim_;
    const auto& [first, length, padded] = block(b);
    const auto rows = static_cast<double>(length);
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t k = 0; k < dim_; ++k) {
        const double value = rows_[(first + i) * dim_ + k];
        extent[k].low = std::min(extent[k].low, value);
        extent[k].high = std::max(extent[k].high, value);
        const double scaled = value * scale_;
        extent[k].mean += scaled / rows;
        extent[k].variance += scaled * scaled / rows;
      }
    }
    for (int64_t k = 0; k < dim_; ++k) extent[k].variance -= extent[k].mean * extent[k].mean;
  }
}

double MaxNormRows::distance(int64_t i, int64_t j) const {
  const double* a = rows_ + i * dim_;
  const double* b = rows_ + j * dim_;
  double most[4] = {};  // four chains of comparisons that do not wait for each other
  int64_t k = 0;
  for (; k + 4 <= dim_; k += 4) {
    for (int u = 0; u < 4; ++u) most[u] = std::max(most[u], std::abs(a[k + u] - b[k + u]));
  }
  for (; k < dim_; ++k) most[0] = std::max(most[0], std::abs(a[k] - b[k]));
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

// Rounding never turns a smaller difference into a larger one, so the bounds hold for computed
// distances too.
double MaxNormRows::least_distance(int64_t a, int64_t b) const {
  double least = 0;
  for (int64_t k = 0; k < dim_; ++k) {
    const auto& x = extents(a)[k];
    const auto& y = extents(b)[k];
    least = std::max(least, std::max(y.low - x.high, x.low - y.high));
  }
  return least;
}

double MaxNormRows::most_distance(int64_t a, int64_t b) const {
  double most = 0;
  for (int64_t k = 0; k < dim_; ++k) {
    const auto& x = extents(a)[k];
    const auto& y = extents(b)[k];
    most = std::max(most, std::max(y.high - x.low, x.high - y.low));
  }
  return most;
}

void MaxNormRows::order_coordinates(int64_t a, int64_t b, int32_t* order) const {
  const auto square = [&](int32_t k) {  // expected square of the difference
    const auto& x = extents(a)[k];
    const auto& y = extents(b)[k];
    return (x.mean - y.mean) * (x.mean - y.mean) + x.variance + y.variance;
  };
  std::iota(order, order + dim_, 0);
  auto* const rest = order + std::min(kSortedFirst, dim_);
  std::partial_sort(order, rest, order + dim_,
                    [&](int32_t k, int32_t l) { return square(k) > square(l); });
  std::sort(rest, order + dim_);  // as they lie in memory
}

}  // namespace projnce
