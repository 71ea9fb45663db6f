#pragma once

#include <cstdint>
#include <vector>

namespace projnce::kernel {

/// Row indices grouped by class, ascending within each class.
struct ClassRows {
  /// `ids` are the classes, 0 .. classes - 1, of `count` rows.
  ClassRows(const int64_t* ids, int64_t count, int64_t classes);

  int64_t classes() const { return static_cast<int64_t>(first.size()) - 1; }
  int64_t size(int64_t c) const { return first[c + 1] - first[c]; }
  const int64_t* members(int64_t c) const { return rows.data() + first[c]; }

  std::vector<int64_t> first;  // [K + 1]
  std::vector<int64_t> rows;   // [N]
};

/// Finds the row of `values` [N, dim] that holds the lower median, rank floor((n-1)/2), of each
/// class and coordinate, and writes it to `lower` [K, dim]; also the upper median, rank
/// floor(n/2), to `upper` unless it is null. The row is that of a stable sort: equal values are
/// ordered by row, -0 equals 0, NaN comes last. Uses selection instead of sorting, O(N dim) with a
/// factor of about ten, and all threads; the result does not depend on their number.
/// REQUIRES: every class has at least one row.
template <class T>
void select_class_medians(const T* values, int64_t dim, const ClassRows& classes, int64_t* lower,
                          int64_t* upper);

}  // namespace projnce::kernel
