#pragma once

#include <cstdint>
#include <vector>

namespace projnce::kernel {

/// What rows look like from a few directions, those in which they differ most: enough to tell most
/// rows that are far apart. With coordinates s and the length r of what the directions do not show,
///
///   u.v <= s_u . s_v + r_u r_v
///
/// whatever the directions are, rounding included. Rows come in an order in which near rows mostly
/// are near each other: halves of halves, split between two centers.
/// REQUIRES: finite rows whose squares do not overflow. T is float or double.
template <class T>
class RowSketch {
 public:
  static constexpr int64_t kDirections = 32;

  /// dim >= kDirections.
  RowSketch(const T* rows, int64_t count, int64_t dim);

  const std::vector<int32_t>& order() const { return order_; }
  /// [count, kDirections] and [count], in that order.
  const T* coordinates() const { return coordinates_.data(); }
  const T* rests() const { return rests_.data(); }

 private:
  void project(const T* rows, int64_t dim, const std::vector<double>& directions);
  void split(int32_t first, int32_t end, int depth);
  int32_t divide(int32_t first, int32_t end);

  std::vector<int32_t> order_;
  std::vector<T> coordinates_;
  std::vector<T> rests_;
};

}  // namespace projnce::kernel
