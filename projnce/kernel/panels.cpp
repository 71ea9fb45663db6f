#include "projnce/kernel/panels.h"

#include <algorithm>

#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

/// Number of elements below which one thread is faster than several.
constexpr int64_t kFewNumbers = 1 << 15;

}  // namespace

template <class T>
RowPanels<T>::RowPanels(const T* rows, int64_t count, int64_t dim)
    : width_(kernels<T>().panel_columns), dim_(dim), data_(round_up(count, width_) * dim) {
#pragma omp parallel for schedule(static) if (count * dim > kFewNumbers)
  for (int64_t first = 0; first < count; first += width_) {
    T* to = data_.data() + first * dim_;
    const int64_t present = std::min(width_, count - first);
    for (int64_t k = 0; k < dim_; ++k, to += width_) {
      for (int64_t c = 0; c < present; ++c) to[c] = rows[(first + c) * dim_ + k];
      std::fill(to + present, to + width_, T{0});
    }
  }
}

template <class T>
ColumnPanels<T>::ColumnPanels(const T* rows, int64_t count, int64_t dim)
    : width_(kernels<T>().panel_columns),
      count_(count),
      panels_((dim + width_ - 1) / width_),
      data_(panels_ * count * width_) {
#pragma omp parallel for schedule(static) if (count * dim > kFewNumbers)
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t p = 0; p < panels_; ++p) {
      T* to = data_.data() + (p * count_ + r) * width_;
      const int64_t present = std::min(width_, dim - p * width_);
      std::copy_n(rows + r * dim + p * width_, present, to);
      std::fill(to + present, to + width_, T{0});
    }
  }
}

template class RowPanels<float>;
template class RowPanels<double>;
template class ColumnPanels<float>;
template class ColumnPanels<double>;

}  // namespace projnce::kernel
