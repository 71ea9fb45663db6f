#pragma once

#include <cstdint>

namespace projnce::kernel {

/// K(t) on [0, 1], zero beyond; K(0) = 1, K(1) = 0, decreasing.
enum class SmoothingKernel {
  kEpanechnikov,  ///< 1 - t^2, the paper's; flat at 0, against the paper's own condition on K'
  kTriangular,    ///< 1 - t
  kMixed,         ///< 1 - t/2 - t^2/2
  kExponential,   ///< (e^{1-t} - 1) / (e - 1)
};

enum class Metric {
  kL1,      ///< sum |u - v|
  kL2,      ///< |u - v|
  kCosine,  ///< 1/2 - 1/2 cos(u, v)
};

/// All rows of a batch as the loops over pairs see them: sorted by class, zeros up to `stride`, and
/// every array long enough to load a whole panel at its end.
template <class T>
struct SmoothingRows {
  const T* rows;           // [N, stride]
  const int64_t* classes;  // [N], ascending
  /// [N]: a pair is surely outside the support if u.v < reach[u] + reach[v]. Null: no such test.
  const T* reach;
  int64_t stride;
  int64_t dim;
  int64_t padded_count;  // from one class to the next in arrays [K, N]
  Metric metric;         // cosine: the rows have unit length
  SmoothingKernel kernel;
  T bandwidth;
};

/// The pairs of some rows with the columns of one panel; only those with column > row count.
template <class T>
struct SmoothingPanel {
  const SmoothingRows<T>* all;
  int64_t first_row;
  int64_t row_count;
  int64_t first_column;
  int64_t columns;  // up to the width of a panel
  const T* panel;
};

}  // namespace projnce::kernel
