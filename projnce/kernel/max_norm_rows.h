#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/aligned_buffer.h"
#include "projnce/kernel/panels.h"

namespace projnce {

/// Rows of finite double numbers under the max norm, max_k |a_k - b_k|, made ready for looking at
/// all pairs: in float, scaled, in blocks of consecutive rows whose extents are known.
class MaxNormRows {
 public:
  /// Rows first .. first + length-1. In float they begin at `padded`, a whole panel.
  struct Block {
    int64_t first;
    int64_t length;
    int64_t padded;
  };

  /// `rows` [count, dim] stay alive. `starts` lists, from 0 on, the rows with which a group of rows
  /// begins that are alike; blocks begin there too, except in small groups.
  MaxNormRows(const double* rows, int64_t count, int64_t dim, const std::vector<int64_t>& starts);

  int64_t count() const { return count_; }
  int64_t dim() const { return dim_; }
  int64_t blocks() const { return static_cast<int64_t>(blocks_.size()); }
  const Block& block(int64_t b) const { return blocks_[static_cast<size_t>(b)]; }

  /// What the floats are multiplied with, a power of two that brings the largest below 1, and by
  /// how much a distance between them may differ from that of the scaled double numbers. The latter
  /// is 0 where float holds all differences, as those of labels and other small whole numbers.
  double scale() const { return scale_; }
  double margin() const { return margin_; }

  int64_t padded() const { return padded_; }  ///< rows in float, those that fill panels included
  const float* float_row(int64_t padded_row) const { return floats_.data() + padded_row * dim_; }
  const RowPanels<float>& panels() const { return panels_; }

  /// In double; the margin does not concern it.
  double distance(int64_t i, int64_t j) const;
  /// Bounds on the distance between rows of two blocks.
  double least_distance(int64_t a, int64_t b) const;
  double most_distance(int64_t a, int64_t b) const;
  /// Coordinates into `order` [dim], those first in which rows of the two blocks differ most.
  void order_coordinates(int64_t a, int64_t b, int32_t* order) const;

 private:
  struct Extent {
    double low;
    double high;
    double mean;
    double variance;
  };

  void cut(const std::vector<int64_t>& starts);
  void choose_scale();
  void choose_margin();
  AlignedBuffer<float> make_floats();
  void measure();
  const Extent* extents(int64_t block) const { return extents_.data() + block * dim_; }

  const double* rows_;
  int64_t count_;
  int64_t dim_;
  double scale_ = 1;
  double margin_ = 0;
  int64_t padded_ = 0;
  std::vector<Block> blocks_ = {};
  std::vector<Extent> extents_ = {};  // [blocks, dim]
  AlignedBuffer<float> floats_;       // [padded, dim]
  RowPanels<float> panels_;
};

}  // namespace projnce
