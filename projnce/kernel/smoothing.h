#pragma once

#include <cstdint>

namespace projnce::kernel {

/// K(t) on [0, 1], zero beyond; K(0) = 1, K(1) = 0, decreasing.
enum class SmoothingKernel {
  kEpanechnikov,  ///< 1 - t^2, used in the paper; K'(0) = 0 violates the paper's condition on K'
  kTriangular,    ///< 1 - t
  kMixed,         ///< 1 - t/2 - t^2/2
  kExponential,   ///< (e^{1-t} - 1) / (e - 1)
};

enum class Metric {
  kL1,      ///< sum |u - v|
  kL2,      ///< |u - v|
  kCosine,  ///< 1/2 - 1/2 cos(u, v)
};

/// Rows of a batch for the pairwise loops: sorted by class and zero-padded to `stride`. Every array
/// is long enough to load a whole panel at its end.
template <class T>
struct SmoothingRows {
  const T* rows;           // [N, stride]
  const int64_t* classes;  // [N], ascending
  /// [N]: a pair is outside the support if u.v < reach[u] + reach[v]. Null disables the test.
  const T* reach;
  int64_t stride;
  int64_t dim;
  int64_t padded_count;  // row stride of arrays [K, N]
  Metric metric;         // kCosine requires L2-normalized rows
  SmoothingKernel kernel;
  T bandwidth;
};

/// Pairs of a range of rows with the columns of one panel; only pairs with column > row are used.
template <class T>
struct SmoothingPanel {
  const SmoothingRows<T>* all;
  int64_t first_row;
  int64_t row_count;
  int64_t first_column;
  int64_t columns;  // at most the width of a panel
  const T* panel;
};

}  // namespace projnce::kernel
