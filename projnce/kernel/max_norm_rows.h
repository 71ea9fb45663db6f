#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/panels.h"

namespace projnce::kernel {

/// Rows of finite double numbers under the max norm, max_k |a_k - b_k|, made ready for looking at
/// all pairs: as codes of a byte for each number, in blocks of consecutive rows whose extents are
/// known. The difference of two codes bounds that of the numbers.
class MaxNormRows {
 public:
  /// Rows first .. first + length-1. Their codes begin at `padded`, a whole panel.
  struct Block {
    int64_t first;
    int64_t length;
    int64_t padded;
    int64_t group;  ///< that all its rows are of; -1 where small groups share the block
  };

  /// `rows` [count, dim], `stride` numbers from one to the next, stay alive. `starts` lists, from 0
  /// on, the rows with which a group of rows begins that are alike; blocks begin there too, except
  /// in small groups.
  MaxNormRows(const double* rows, int64_t count, int64_t dim, int64_t stride,
              const std::vector<int64_t>& starts);

  int64_t count() const { return count_; }
  int64_t dim() const { return dim_; }
  int64_t blocks() const { return static_cast<int64_t>(blocks_.size()); }
  const Block& block(int64_t b) const { return blocks_[static_cast<size_t>(b)]; }
  bool one_group(int64_t a, int64_t b) const {
    return block(a).group >= 0 && block(a).group == block(b).group;
  }

  int64_t padded() const { return padded_; }  ///< rows of codes, those that fill panels included
  const uint8_t* row_codes(int64_t padded_row) const { return codes_.data() + padded_row * dim_; }
  /// The panel that begins with this row, which is the first of a panel.
  const uint8_t* panel(int64_t padded_row) const { return panels_.data() + padded_row * dim_; }

  /// Rows whose codes differ by more than this are not closer than `limit`.
  uint8_t possible(double limit) const;
  /// Rows whose codes differ by this or less are closer than `limit`; -1 where no codes tell.
  int sure(double limit) const;

  /// Or any number that is not below `enough` where the distance is not.
  double distance(int64_t i, int64_t j, double enough) const;
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
  void measure();
  void choose_codes();
  void encode();
  void pack();
  const double* row(int64_t i) const { return rows_ + i * stride_; }
  const Extent* extents(int64_t block) const { return extents_.data() + block * dim_; }

  const double* rows_;
  int64_t count_;
  int64_t dim_;
  int64_t stride_;
  double scale_ = 1;         // a power of two that brings the largest number below 1
  double codes_in_one_ = 1;  // how many codes there are from 0 to 1, in scaled numbers
  /// Whether there are numbers beyond the last code, which count as if they had it: their distances
  /// are at least what the codes say, but may be larger.
  bool clipped_ = false;
  int64_t padded_ = 0;
  std::vector<Block> blocks_ = {};
  std::vector<Extent> extents_ = {};  // [blocks, dim]
  std::vector<double> lowest_ = {};   // [dim], scaled: where codes begin
  AlignedBuffer<uint8_t> codes_;      // [padded, dim]
  AlignedBuffer<uint8_t> panels_;     // [padded / kCodeColumns, dim, kCodeColumns]
};

}  // namespace projnce::kernel
