#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "projnce/kernel/aligned_buffer.h"
#include "projnce/kernel/blocks.h"
#include "projnce/kernel/panels.h"
#include "projnce/kernel/score_tile.h"

namespace projnce {

/// Anchors, and the candidates that each is compared with. The score of a pair is
/// scale * (anchor . candidate) + bias of the candidate.
template <class T>
struct PairRows {
  static constexpr int64_t kNoSelf = std::numeric_limits<int64_t>::min() / 2;

  const T* anchors;  ///< [num_anchors, dim]
  int64_t num_anchors;
  const T* candidates;  ///< [num_candidates, dim]
  int64_t num_candidates;
  int64_t dim;
  double scale;
  /// Candidate that is anchor 0 itself; anchor 1 is the next one. Such a pair never counts.
  int64_t self = kNoSelf;
  const int64_t* anchor_class = nullptr;     ///< [num_anchors]; both or neither
  const int64_t* candidate_class = nullptr;  ///< [num_candidates]
  const T* bias = nullptr;                   ///< [num_candidates]
  /// The candidates are the anchors, in value and gradient: each tile serves both of its blocks.
  bool symmetric = false;

  bool split() const { return anchor_class != nullptr; }
};

/// An array over rows that may be read a whole panel beyond its end; zero by default.
template <class T>
class PaddedRows {
 public:
  explicit PaddedRows(int64_t count) : values_(static_cast<size_t>(count + kSlack)) {}

  T* from(int64_t row) { return values_.data() + row; }
  const T* from(int64_t row) const { return values_.data() + row; }

 private:
  static constexpr int64_t kSlack = 64;
  std::vector<T> values_;
};

/// Splits the pairs into tiles that fit a core's cache and fills them with dot products.
template <class T>
class PairTiles {
 public:
  /// `shift` is subtracted from every score.
  PairTiles(const PairRows<T>& rows, double shift);

  const RowBlocks& anchor_blocks() const { return anchor_blocks_; }
  const RowBlocks& candidate_blocks() const { return candidate_blocks_; }

  /// The dot products of a pair of blocks, in memory of the thread that its next tile overwrites.
  ScoreTile<T> tile(BlockPair blocks, int thread) const;
  TileKind kind(const ScoreTile<T>& tile, bool both_roles) const;
  /// Whether a pair of the tile may be of one class.
  bool may_hold_positives(BlockPair blocks) const;
  /// Zeros for the sums of a tile's columns, [padded columns], in memory of the thread.
  T* column_sums(PairSet set, int thread) const;

 private:
  struct ClassRange {
    int64_t first;
    int64_t last;
  };
  static std::vector<ClassRange> class_ranges(const int64_t* classes, const RowBlocks& blocks);
  T* scratch(int thread) const { return scratch_.data() + thread * thread_size_; }

  PairRows<T> rows_;
  RowBlocks anchor_blocks_;
  RowBlocks candidate_blocks_;
  RowPanels<T> panels_;
  PaddedRows<T> bias_;
  PaddedRows<LaneOf<T>> anchor_class_;
  PaddedRows<LaneOf<T>> candidate_class_;
  std::vector<ClassRange> anchor_ranges_;
  std::vector<ClassRange> candidate_ranges_;
  int64_t stride_;       // of a tile
  int64_t thread_size_;  // a tile and the sums of its columns
  AlignedBuffer<T> scratch_;
};

}  // namespace projnce
