#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace projnce::kernel {

/// Uninitialized memory aligned to a cache line. Unwritten pages cost nothing, and each thread can
/// be the first to touch its own pages.
template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(int64_t count)
      : data_(static_cast<T*>(
            ::operator new (static_cast<size_t>(count) * sizeof(T), std::align_val_t{kLine}))) {}

  T* data() const { return data_.get(); }
  T& operator[](int64_t i) const { return data_.get()[i]; }

 private:
  static constexpr size_t kLine = 64;
  struct Free {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{kLine}); }
  };
  std::unique_ptr<T[], Free> data_;
};

inline int64_t round_up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

/// Rows of a matrix packed for tiles of pairs: panel p interleaves rows p*w .. p*w + w-1 for each
/// step along the dimension, where w = panel_columns of the active kernels. Padding rows are 0.
/// Packs with all threads.
template <class T>
class RowPanels {
 public:
  RowPanels(const T* rows, int64_t count, int64_t dim);

  /// Returns the panel that starts with `row`, a multiple of the panel width.
  const T* from_row(int64_t row) const { return data_.data() + row * dim_; }
  int64_t panels(int64_t rows) const { return (rows + width_ - 1) / width_; }
  int64_t width() const { return width_; }

 private:
  int64_t width_;
  int64_t dim_;
  AlignedBuffer<T> data_;
};

/// Columns of a matrix packed for products: panel p holds columns p*w .. p*w + w-1 of every row,
/// row by row. Padding columns are 0. Packs with all threads.
template <class T>
class ColumnPanels {
 public:
  ColumnPanels(const T* rows, int64_t count, int64_t dim);

  /// Returns the first panel, starting at `row`; the others are `panel_stride()` apart.
  const T* from_row(int64_t row) const { return data_.data() + row * width_; }
  int64_t panel_stride() const { return count_ * width_; }
  int64_t panels() const { return panels_; }

 private:
  int64_t width_;
  int64_t count_;
  int64_t panels_;
  AlignedBuffer<T> data_;
};

}  // namespace projnce::kernel
