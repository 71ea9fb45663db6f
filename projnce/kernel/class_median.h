#pragma once

#include <cstdint>
#include <vector>

namespace projnce::kernel {

/// Row numbers listed class by class, in ascending order within each.
struct ClassRows {
  /// `ids` holds the class number, 0 .. classes-1, of each of `count` rows.
  ClassRows(const int64_t* ids, int64_t count, int64_t classes);

  int64_t classes() const { return static_cast<int64_t>(first.size()) - 1; }
  int64_t size(int64_t c) const { return first[c + 1] - first[c]; }
  const int64_t* members(int64_t c) const { return rows.data() + first[c]; }

  std::vector<int64_t> first;  // [K + 1]
  std::vector<int64_t> rows;   // [N]
};

/// Which row of `values` [N, dim] holds the lower median, rank floor((n-1)/2), of each class and
/// coordinate, into `lower` [K, dim]; the upper, rank floor(n/2), into `upper` unless that is null.
/// The row is the one that a stable sort would put there: equal values are ordered by row, -0
/// equals 0, NaN comes last. Selection instead of sorting, O(N dim) with a factor of about ten;
/// uses all threads, and the result does not depend on their number.
/// REQUIRES: every class has a row.
template <class T>
void select_class_medians(const T* values, int64_t dim, const ClassRows& classes, int64_t* lower,
                          int64_t* upper);

}  // namespace projnce::kernel
