#pragma once

#include <cstdint>

#include "projnce/kernel/candidates.h"
#include "projnce/kernel/isa.h"
#include "projnce/kernel/smoothing.h"

namespace projnce {

/// The hot loops for numbers T, compiled for one instruction set. Plain pointers in and out; who
/// calls them owns memory and threads. Their meaning is written where they are defined.
template <class T>
struct KernelTable {
  int64_t panel_columns;  ///< columns that a panel holds side by side

  /// micro_tile.h
  void (*dot_tile)(const T* a, int64_t stride, int64_t rows, const T* panel, int64_t panels,
                   int64_t depth, T* out, int64_t out_stride);
  void (*add_product)(const T* w, int64_t row_step, int64_t depth_step, int64_t rows,
                      const T* panel, int64_t panel_stride, int64_t panels, int64_t depth, T* out,
                      int64_t out_stride);

  /// smoothing_sums.h, smoothing_pulls.h
  void (*add_kernel_sums)(const SmoothingPanel<T>& panel, double* sums);
  void (*add_kernel_pulls)(const SmoothingPanel<T>& panel, const T* sum_grads, T* row_grads);

  /// select_above.h
  int64_t (*select_above)(const T* products, const T* offsets, int64_t count, T limit,
                          int32_t first, Candidate<T>* to);
  double (*squared_distance)(const T* u, const T* v, int64_t dim);
};

/// For the instruction set that is active. T is float or double.
template <class T>
const KernelTable<T>& kernels();

// One for each source that is compiled for an instruction set.
template <class T>
const KernelTable<T>& plain_kernels();
template <class T>
const KernelTable<T>& avx2_kernels();
template <class T>
const KernelTable<T>& avx512_kernels();

}  // namespace projnce
