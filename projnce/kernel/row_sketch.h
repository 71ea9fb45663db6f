#pragma once

#include <cstdint>
#include <vector>

namespace projnce::kernel {

/// Projection of rows onto a few principal directions, enough to detect most pairs that are far
/// apart. With coordinates s and residual norm r,
///
///   u.v <= s_u . s_v + r_u r_v
///
/// for any directions, including rounding. Rows are reordered by recursive 2-means splits, so that
/// neighbors are mostly adjacent.
/// REQUIRES: finite rows whose squares do not overflow. T is float or double.
template <class T>
class RowSketch {
 public:
  static constexpr int64_t kDirections = 32;

  /// REQUIRES: dim >= kDirections.
  RowSketch(const T* rows, int64_t count, int64_t dim);

  const std::vector<int32_t>& order() const { return order_; }
  /// Coordinates [count, kDirections] and residual norms [count], in the order of `order()`.
  const T* coordinates() const { return coordinates_.data(); }
  const T* residuals() const { return residuals_.data(); }

 private:
  void project(const T* rows, int64_t dim, const std::vector<double>& directions);
  void split(int32_t first, int32_t end, int depth);
  int32_t divide(int32_t first, int32_t end);

  std::vector<int32_t> order_;
  std::vector<T> coordinates_;
  std::vector<T> residuals_;
};

}  // namespace projnce::kernel
