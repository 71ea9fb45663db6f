#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/panels.h"
#include "projnce/kernel/score_tile.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

/// Anchors and their candidates. The score of a pair is scale * (anchor . candidate) + bias of the
/// candidate.
template <class T>
struct PairRows {
  static constexpr int64_t kNoSelf = std::numeric_limits<int64_t>::min() / 2;

  const T* anchors;  ///< [num_anchors, dim]
  int64_t num_anchors;
  const T* candidates;  ///< [num_candidates, dim]
  int64_t num_candidates;
  int64_t dim;
  double scale;
  /// Index of the candidate that is anchor 0 itself; that of anchor i is self + i. These pairs are
  /// always excluded.
  int64_t self = kNoSelf;
  const int64_t* anchor_class = nullptr;     ///< [num_anchors]; both or neither
  const int64_t* candidate_class = nullptr;  ///< [num_candidates]
  const T* bias = nullptr;                   ///< [num_candidates]
  /// If true, the candidates are the anchors, in value and gradient, and each tile serves both of
  /// its blocks.
  bool symmetric = false;

  bool split() const { return anchor_class != nullptr; }
};

/// An array over rows that may be read one panel beyond its end; initialized to zero.
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

  /// Computes the dot products of a pair of blocks, in memory that the thread's next tile
  /// overwrites.
  ScoreTile<T> tile(BlockPair blocks, int thread) const;
  TileKind kind(const ScoreTile<T>& tile, bool both_roles) const;
  /// Returns true if the tile may contain a pair of the same class.
  bool may_hold_positives(BlockPair blocks) const;
  /// Returns zeroed memory of the thread for the sums of a tile's columns, [padded columns].
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
  PaddedRows<LabelOf<T>> anchor_class_;
  PaddedRows<LabelOf<T>> candidate_class_;
  std::vector<ClassRange> anchor_ranges_;
  std::vector<ClassRange> candidate_ranges_;
  int64_t stride_;       // row stride of a tile
  int64_t thread_size_;  // size of a tile and its column sums
  AlignedBuffer<T> scratch_;
};

/// Row stride of a gradient: whole panels, so that no row needs a remainder loop.
template <class T>
int64_t gradient_stride(int64_t dim) {
  return round_up(dim, kernels<T>().panel_columns);
}

/// Gradients to accumulate into: [rows, gradient_stride]. In the symmetric case `anchors` receives
/// the sum of both roles and `candidates` is null; otherwise null skips one of them.
template <class T>
struct GradientRows {
  T* anchors;
  T* candidates;
};

/// Multiplies tiles of d loss / d dot by the rows of the other side and accumulates the gradients.
template <class T>
class PairGradient {
 public:
  PairGradient(const PairRows<T>& rows, const GradientRows<T>& out);

  /// Calls score_gradients(tile, blocks, thread) to overwrite every tile of dot products with
  /// d loss / d dot, and adds the products to both sides. In the symmetric case each pair of blocks
  /// is visited once, with the sum of its two roles. Skips a tile if needed(blocks) is false.
  template <class ScoreGradients, class Needed>
  void add_all(const PairTiles<T>& tiles, const ScoreGradients& score_gradients,
               const Needed& needed);

 private:
  struct Position {
    int64_t anchor;
    int64_t candidate;
  };
  void add_to_anchors(const ScoreTile<T>& grads, Position first) const;
  void add_to_candidates(const ScoreTile<T>& grads, Position first, T* sums) const;
  /// Number of copies of the candidates' gradient, which are summed at the end: with few candidate
  /// blocks, threads would otherwise wait for each other. Independent of the number of threads, so
  /// that the sum is too.
  static int64_t copies(const PairTiles<T>& tiles);

  PairRows<T> rows_;
  GradientRows<T> out_;
  int64_t stride_;
  ColumnPanels<T> candidate_panels_;
  std::optional<ColumnPanels<T>> anchor_panels_;  // unset in the symmetric case
};

template <class T>
template <class ScoreGradients, class Needed>
void PairGradient<T>::add_all(const PairTiles<T>& tiles, const ScoreGradients& score_gradients,
                              const Needed& needed) {
  const auto& anchor_blocks = tiles.anchor_blocks();
  const auto& candidate_blocks = tiles.candidate_blocks();
  const auto add_tile = [&](BlockPair blocks, T* candidate_sums, int thread) {
    if (!needed(blocks)) return;
    const auto tile = tiles.tile(blocks, thread);
    score_gradients(tile, blocks, thread);
    const Position first{anchor_blocks.begin(blocks.row), candidate_blocks.begin(blocks.column)};
    if (out_.anchors) add_to_anchors(tile, first);
    if (candidate_sums) add_to_candidates(tile, first, candidate_sums);
  };
  if (rows_.symmetric) {
    run_rounds(RoundRobinSchedule(anchor_blocks.count()), [&](BlockPair blocks, int thread) {
      add_tile(blocks, blocks.row == blocks.column ? nullptr : out_.anchors, thread);
    });
    return;
  }
  const int64_t groups = copies(tiles);
  if (groups == 1) {
    run_rounds(BlockGrid(anchor_blocks.count(), candidate_blocks.count()),
               [&](BlockPair blocks, int thread) { add_tile(blocks, out_.candidates, thread); });
    return;
  }
  const int64_t copy_size = out_.candidates ? rows_.num_candidates * stride_ : 0;
  const AlignedBuffer<T> sums(groups * copy_size);
  std::fill_n(sums.data(), groups * copy_size, T{0});
  run_parallel(groups, [&](int64_t group, int thread) {
    T* copy = out_.candidates ? sums.data() + group * copy_size : nullptr;
    for (int64_t row = group; row < anchor_blocks.count(); row += groups) {
      for (int64_t column = 0; column < candidate_blocks.count(); ++column) {
        add_tile({row, column}, copy, thread);
      }
    }
  });
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t k = 0; k < copy_size; ++k) out_.candidates[k] += sums[group * copy_size + k];
  }
}

}  // namespace projnce::kernel
