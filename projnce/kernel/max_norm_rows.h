#pragma once

#include <cstdint>
#include <vector>

#include "projnce/kernel/panels.h"

namespace projnce::kernel {

/// Rows of finite doubles, preprocessed for computations over all pairs under the max norm,
/// max_k |a_k - b_k|: quantized to 8-bit codes and split into blocks of consecutive rows with known
/// extents. The difference of two codes bounds the difference of the values.
class MaxNormRows {
 public:
  /// Rows first .. first + length - 1. Their codes start at padded row `padded`, a whole panel.
  struct Block {
    int64_t first;
    int64_t length;
    int64_t padded;
    int64_t group;  ///< group of all its rows; -1 if small groups share the block
  };

  /// `rows` [count, dim], `stride` elements apart, must outlive this object. `starts` lists the
  /// first row of each group of similar rows, starting with 0; blocks also start there, except for
  /// small groups.
  MaxNormRows(const double* rows, int64_t count, int64_t dim, int64_t stride,
              const std::vector<int64_t>& starts);

  int64_t count() const { return count_; }
  int64_t dim() const { return dim_; }
  int64_t blocks() const { return static_cast<int64_t>(blocks_.size()); }
  const Block& block(int64_t b) const { return blocks_[static_cast<size_t>(b)]; }
  bool same_group(int64_t a, int64_t b) const {
    return block(a).group >= 0 && block(a).group == block(b).group;
  }

  int64_t padded() const { return padded_; }  ///< number of rows of codes, including padding
  const uint8_t* row_codes(int64_t padded_row) const { return codes_.data() + padded_row * dim_; }
  /// Returns the panel that starts with this row.
  const uint8_t* panel(int64_t padded_row) const { return panels_.data() + padded_row * dim_; }

  /// Rows whose codes differ by more than this are not closer than `limit`.
  uint8_t max_code_difference(double limit) const;
  /// Rows whose codes differ by at most this are closer than `limit`; -1 if codes cannot decide it.
  int sure(double limit) const;

  /// Returns the distance of two rows; if it is >= `enough`, any value >= `enough`.
  double distance(int64_t i, int64_t j, double enough) const;
  /// Lower and upper bound on the distance between rows of two blocks.
  double min_distance(int64_t a, int64_t b) const;
  double max_distance(int64_t a, int64_t b) const;
  /// Writes the coordinates to `order` [dim], those with the largest expected difference first.
  void order_coordinates(int64_t a, int64_t b, int32_t* order) const;

 private:
  struct Extent {
    double low;
    double high;
    double mean;
    double variance;
  };

  void make_blocks(const std::vector<int64_t>& starts);
  void choose_scale();
  void compute_extents();
  void choose_codes();
  void encode();
  void pack();
  const double* row(int64_t i) const { return rows_ + i * stride_; }
  const Extent* extents(int64_t block) const { return extents_.data() + block * dim_; }

  const double* rows_;
  int64_t count_;
  int64_t dim_;
  int64_t stride_;
  double scale_ = 1;           // power of two that scales the largest value below 1
  double codes_per_unit_ = 1;  // number of codes per unit of scaled values
  /// True if values beyond the last code were clipped to it: their distances are at least those of
  /// the codes, but may be larger.
  bool clipped_ = false;
  int64_t padded_ = 0;
  std::vector<Block> blocks_ = {};
  std::vector<Extent> extents_ = {};  // [blocks, dim]
  std::vector<double> lowest_ = {};   // [dim], scaled: value of code 0
  AlignedBuffer<uint8_t> codes_;      // [padded, dim]
  AlignedBuffer<uint8_t> panels_;     // [padded / kCodeColumns, dim, kCodeColumns]
};

}  // namespace projnce::kernel
