#pragma once

#include <cstdint>

#include "projnce/kernel/smoothing.h"

namespace projnce::kernel {

/// Rows with classes, smoothed over one another with K(d / bandwidth).
template <class T>
struct SmoothingProblem {
  const T* rows;           // [count, dim]; of unit length for the cosine
  const int64_t* classes;  // [count], 0 .. num_classes - 1
  int64_t count;
  int64_t dim;
  int64_t num_classes;
  SmoothingKernel kernel;
  Metric metric;
  double bandwidth;
};

/// sums[j, c] = sum of K(d(j, k) / bandwidth) over the rows k != j of class c, [count,
/// num_classes].
///
/// Each pair is measured once, in blocks on all threads, and the result does not depend on their
/// number. For l1 and l2 pairs that their dot products show to be outside are not measured at all
/// (|u-v|_1 >= |u-v|_2). A row that is not a number makes the sums of all rows so.
/// O(count^2 dim) time, O(count (dim + num_classes)) memory. T is float or double.
template <class T>
void kernel_sums(const SmoothingProblem<T>& problem, double* sums);

/// dL/drows [count, dim] out of dL/dsums [count, num_classes], at the same cost and as independent
/// of the threads. Kinks of the distance and the edge of the support have the gradient 0.
template <class T>
void kernel_sums_gradient(const SmoothingProblem<T>& problem, const double* sum_grads,
                          T* row_grads);

}  // namespace projnce::kernel
