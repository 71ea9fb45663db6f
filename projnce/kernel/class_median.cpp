#include "projnce/kernel/class_median.h"

#include <omp.h>

#include <algorithm>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/panels.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

constexpr int64_t kWorthThreads = 1 << 15;  // minimum number of elements to use several threads

}  // namespace

ClassRows::ClassRows(const int64_t* ids, int64_t count, int64_t classes)
    : first(static_cast<size_t>(classes) + 1), rows(static_cast<size_t>(count)) {
  for (int64_t i = 0; i < count; ++i) ++first[ids[i] + 1];
  for (int64_t c = 0; c < classes; ++c) first[c + 1] += first[c];
  auto next = first;
  for (int64_t i = 0; i < count; ++i) rows[next[ids[i]]++] = i;
}

template <class T>
void select_class_medians(const T* values, int64_t dim, const ClassRows& classes, int64_t* lower,
                          int64_t* upper) {
  int64_t largest = 0;
  for (int64_t c = 0; c < classes.classes(); ++c) largest = std::max(largest, classes.size(c));
  const auto& table = kernels<T>();
  const int64_t columns = table.median_columns;
  const int64_t groups = (dim + columns - 1) / columns;
  const int64_t room = largest * columns;
  const AlignedBuffer<T> keys(kernel_threads() * room);
  const bool worth_threads = static_cast<int64_t>(classes.rows.size()) * dim >= kWorthThreads;
#pragma omp parallel for schedule(dynamic, 1) if (worth_threads)
  for (int64_t task = 0; task < classes.classes() * groups; ++task) {
    const int64_t c = task / groups;
    const int64_t column = task % groups * columns;
    const int64_t at = c * dim + column;
    table.median_rows(values + column, dim, classes.members(c), classes.size(c),
                      std::min(columns, dim - column), keys.data() + omp_get_thread_num() * room,
                      lower + at, upper == nullptr ? nullptr : upper + at);
  }
}

template void select_class_medians(const float*, int64_t, const ClassRows&, int64_t*, int64_t*);
template void select_class_medians(const double*, int64_t, const ClassRows&, int64_t*, int64_t*);

}  // namespace projnce::kernel
