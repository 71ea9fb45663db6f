#pragma once

#include <cstdint>

namespace projnce::kernel {

enum class Similarity {
  kDotProduct,  ///< u.v; larger is nearer
  kDistance,    ///< |u - v|; smaller is nearer
};

/// Search for the nearest references of each query.
template <class T>
struct NearestProblem {
  const T* queries;  // [num_queries, dim]
  int64_t num_queries;
  const T* references;  // [num_references, dim]; num_references < 2^31
  int64_t num_references;
  int64_t dim;
  int64_t neighbors;  ///< 1 .. num_references, minus 1 with exclude_self
  Similarity similarity;
  /// If true, query i is reference i and is excluded from its own neighbors.
  bool exclude_self;
};

/// indices and scores are [num_queries, neighbors], nearest first, with ties ordered by index;
/// scores are dot products or distances.
///
/// Computes tiles of dot products and scans each query's row for scores above the worst of its
/// list, so that few candidates are processed one by one: O(num_queries num_references dim) time,
/// one copy of the references and a few lists per thread. Results do not depend on the number of
/// threads. If many rows are searched among themselves, they are first reordered and compared in a
/// few dimensions (row_sketch.h), so that tiles of distant clusters are skipped; this needs another
/// copy of the rows.
///
/// Distances are exact although |u|^2 + |v|^2 - 2 u.v is not: candidates within the rounding error
/// of that form are recomputed and sorted in double precision.
/// REQUIRES: finite rows whose squares do not overflow. T is float or double.
template <class T>
void nearest_rows(const NearestProblem<T>& problem, int64_t* indices, T* scores);

}  // namespace projnce::kernel
