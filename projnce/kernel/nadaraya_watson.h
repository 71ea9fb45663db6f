#pragma once

#include <cstdint>

#include "projnce/kernel/smoothing.h"

namespace projnce::kernel {

/// Nadaraya-Watson smoothing of labeled rows with the kernel K(d / bandwidth).
template <class T>
struct SmoothingProblem {
  const T* rows;           // [count, dim]; L2-normalized for Metric::kCosine
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
/// Each distance is computed once, in blocks on all threads; the result does not depend on their
/// number. For l1 and l2, pairs whose dot products show that they are outside the support are
/// skipped (|u-v|_1 >= |u-v|_2). A NaN in one row makes the sums of all rows NaN.
/// O(count^2 dim) time, O(count (dim + num_classes)) memory. T is float or double.
template <class T>
void kernel_sums(const SmoothingProblem<T>& problem, double* sums);

/// Computes dL/drows [count, dim] from dL/dsums [count, num_classes], at the same cost, independent
/// of the number of threads. The gradient is 0 at kinks of the distance and at the edge of the
/// support.
template <class T>
void kernel_sums_gradient(const SmoothingProblem<T>& problem, const double* sum_grads,
                          T* row_grads);

}  // namespace projnce::kernel
