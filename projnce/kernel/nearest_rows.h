#pragma once

#include <cstdint>

namespace projnce::kernel {

enum class Similarity {
  kDotProduct,  ///< u.v, the larger the nearer
  kDistance,    ///< |u - v|, the smaller the nearer
};

/// For each query the nearest references, in their order.
template <class T>
struct NearestProblem {
  const T* queries;  // [num_queries, dim]
  int64_t num_queries;
  const T* references;  // [num_references, dim], below 2^31
  int64_t num_references;
  int64_t dim;
  int64_t neighbors;  ///< 1 .. num_references, less the one that is left out
  Similarity nearness;
  /// Query i is reference i and does not find itself.
  bool exclude_self;
};

/// indices and scores are [num_queries, neighbors], the nearest first, the lower index first among
/// equals; scores are dot products or distances.
///
/// Tiles of dot products, and for each query a scan for those that beat the worst of its list, so
/// that few are looked at one by one: O(num_queries num_references dim) time, memory for the
/// references once more and a few lists per thread. Results do not depend on the threads. Many rows
/// among themselves are first sorted and looked at in a few dimensions (row_sketch.h), which tells
/// clusters apart: tiles of pairs that cannot be near are left out. Takes the rows once more.
///
/// Distances are exact although |u|^2 + |v|^2 - 2 u.v is not: what may belong to the list within
/// the rounding of that form is measured again, in double precision, and ordered by it.
/// REQUIRES: finite rows whose squares do not overflow. T is float or double.
template <class T>
void nearest_rows(const NearestProblem<T>& problem, int64_t* indices, T* scores);

}  // namespace projnce::kernel
