#include "projnce/kernel/max_norm_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "projnce/kernel/filter_by_quantized_distance.h"
#include "projnce/kernel/panels.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

constexpr int64_t kMostRows = 256;    // maximum rows per block: whole panels
constexpr int64_t kFewRows = 64;      // groups smaller than this share a block
constexpr int64_t kSortedFirst = 32;  // coordinates to sort; the rest are rarely reached
constexpr double kLastCode = 255;
/// Tolerance in units of a code, far above the rounding errors of the distance bounds.
constexpr double kCodeSlack = 1e-6;
/// Minimum range of scaled values, so that the number of codes per unit stays finite.
constexpr double kLeastReach = 1e-280;

}  // namespace

MaxNormRows::MaxNormRows(const double* rows, int64_t count, int64_t dim, int64_t stride,
                         const std::vector<int64_t>& starts)
    : rows_(rows), count_(count), dim_(dim), stride_(stride) {
  make_blocks(starts);
  choose_scale();
  compute_extents();
  choose_codes();
  encode();
  pack();
}

void MaxNormRows::make_blocks(const std::vector<int64_t>& starts) {
  int64_t first = 0;
  const auto add = [&](size_t group, int64_t length) {
    const bool alone = first >= starts[group];
    blocks_.push_back({first, length, padded_, alone ? static_cast<int64_t>(group) : -1});
    padded_ += round_up(length, kCodeColumns);
    first += length;
  };
  for (size_t g = 1; g <= starts.size(); ++g) {
    const int64_t end = g < starts.size() ? starts[g] : count_;
    while (end - first > kMostRows) add(g - 1, kMostRows);
    if (end - first >= kFewRows || end == count_) add(g - 1, end - first);
  }
}

void MaxNormRows::choose_scale() {
  double largest = 0;
  for (int64_t i = 0; i < count_; ++i) {
    for (int64_t k = 0; k < dim_; ++k) largest = std::max(largest, std::abs(row(i)[k]));
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  // Clamp the exponent so that the scale is a finite, normal number.
  scale_ = std::ldexp(1.0, std::clamp(-exponent, -1022, 1022));
}

void MaxNormRows::compute_extents() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  extents_.assign(static_cast<size_t>(blocks() * dim_), {kInf, -kInf, 0, 0});
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks(); ++b) {
    Extent* extent = extents_.data() + b * dim_;
    const auto& [first, length, padded, group] = block(b);
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t k = 0; k < dim_; ++k) {
        const double value = row(first + i)[k];
        extent[k].low = std::min(extent[k].low, value);
        extent[k].high = std::max(extent[k].high, value);
        const double scaled = value * scale_;
        extent[k].mean += scaled;
        extent[k].variance += scaled * scaled;
      }
    }
    const auto rows = static_cast<double>(length);
    for (int64_t k = 0; k < dim_; ++k) {
      extent[k].mean /= rows;
      extent[k].variance = extent[k].variance / rows - extent[k].mean * extent[k].mean;
    }
  }
}

/// Codes cover the range of the widest coordinate, unless it is much wider than the others, such as
/// labels appended to embeddings: then the codes would be too coarse for the distances.
void MaxNormRows::choose_codes() {
  lowest_.assign(static_cast<size_t>(dim_), 0);
  double widest = 0;
  double squares = 0;
  for (int64_t k = 0; k < dim_; ++k) {
    double low = extents(0)[k].low;
    double high = extents(0)[k].high;
    for (int64_t b = 1; b < blocks(); ++b) {
      low = std::min(low, extents(b)[k].low);
      high = std::max(high, extents(b)[k].high);
    }
    lowest_[k] = low * scale_;
    const double width = high * scale_ - low * scale_;
    widest = std::max(widest, width);
    squares += width * width;
  }
  const double usual = std::sqrt(squares / static_cast<double>(dim_));
  clipped_ = widest > 2 * usual;
  const double reach = clipped_ ? usual : widest;
  if (reach > kLeastReach) codes_per_unit_ = kLastCode / reach;
}

void MaxNormRows::encode() {
  codes_ = AlignedBuffer<uint8_t>(padded_ * dim_);
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks(); ++b) {
    const auto& [first, length, padded, group] = block(b);
    uint8_t* codes = codes_.data() + padded * dim_;
    for (int64_t i = 0; i < length; ++i) {
      const double* from = row(first + i);
      for (int64_t k = 0; k < dim_; ++k) {
        const double code = (from[k] * scale_ - lowest_[k]) * codes_per_unit_;
        codes[i * dim_ + k] = static_cast<uint8_t>(std::min(code, kLastCode));
      }
    }
    std::fill(codes + length * dim_, codes + round_up(length, kCodeColumns) * dim_, 0);
  }
}

void MaxNormRows::pack() {
  panels_ = AlignedBuffer<uint8_t>(padded_ * dim_);
#pragma omp parallel for schedule(static)
  for (int64_t first = 0; first < padded_; first += kCodeColumns) {
    const uint8_t* from = row_codes(first);
    uint8_t* to = panels_.data() + first * dim_;
    for (int64_t k = 0; k < dim_; ++k) {
      for (int64_t c = 0; c < kCodeColumns; ++c) to[k * kCodeColumns + c] = from[c * dim_ + k];
    }
  }
}

// Codes that differ by n belong to values that differ by more than n - 1 and less than n + 1 steps.
uint8_t MaxNormRows::max_code_difference(double limit) const {
  const double codes = limit * scale_ * codes_per_unit_ + kCodeSlack;
  return codes < kLastCode - 1 ? static_cast<uint8_t>(codes + 1) : static_cast<uint8_t>(kLastCode);
}

int MaxNormRows::sure(double limit) const {
  if (clipped_) return -1;
  const double codes = limit * scale_ * codes_per_unit_ - 1 - kCodeSlack;
  return codes < 0 ? -1 : static_cast<int>(std::min(codes, kLastCode));
}

double MaxNormRows::distance(int64_t i, int64_t j, double enough) const {
  return kernels<double>().largest_difference(row(i), row(j), dim_, enough);
}

// Rounding is monotonic, so the bounds also hold for computed distances.
double MaxNormRows::min_distance(int64_t a, int64_t b) const {
  double least = 0;
  for (int64_t k = 0; k < dim_; ++k) {
    const auto& x = extents(a)[k];
    const auto& y = extents(b)[k];
    least = std::max(least, std::max(y.low - x.high, x.low - y.high));
  }
  return least;
}

double MaxNormRows::max_distance(int64_t a, int64_t b) const {
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
  std::sort(rest, order + dim_);  // memory order
}

}  // namespace projnce::kernel
