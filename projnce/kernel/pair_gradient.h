#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "projnce/kernel/pair_tiles.h"
#include "projnce/kernel/rounds.h"
#include "projnce/kernel/table.h"

namespace projnce {

/// Numbers from one row of a gradient to the next: whole panels, so that no row needs a remainder.
template <class T>
int64_t gradient_stride(int64_t dim) {
  return round_up(dim, kernels<T>().panel_columns);
}

/// Where gradients are added: [rows, gradient_stride]. In the symmetric case `anchors` takes the
/// sum of both roles and `candidates` is null; elsewhere a null one is not wanted.
template <class T>
struct GradientRows {
  T* anchors;
  T* candidates;
};

/// Adds tiles of pair weights, times the rows on their other side, to the gradients.
template <class T>
class PairGradient {
 public:
  PairGradient(const PairRows<T>& rows, const GradientRows<T>& out);

  /// Turns every tile of scores into weights by weigh(tile, blocks, thread) and adds them to both
  /// sides. In the symmetric case each pair of blocks is visited once, and a weight is the sum of
  /// the pair's two roles. A tile for which wanted(blocks) is false has no weights.
  template <class Weigh, class Wanted>
  void add_all(const PairTiles<T>& tiles, const Weigh& weigh, const Wanted& wanted);

 private:
  struct Position {
    int64_t anchor;
    int64_t candidate;
  };
  void add_to_anchors(const ScoreTile<T>& weights, Position first) const;
  void add_to_candidates(const ScoreTile<T>& weights, Position first, T* sums) const;
  /// Copies of the candidates' gradient that are summed up at the end: with few blocks of
  /// candidates, threads would otherwise wait for each other. The number does not depend on the
  /// threads, so the sum does not either.
  static int64_t copies(const PairTiles<T>& tiles);

  PairRows<T> rows_;
  GradientRows<T> out_;
  int64_t stride_;
  ColumnPanels<T> candidate_panels_;
  std::optional<ColumnPanels<T>> anchor_panels_;  // where they are not the candidates'
};

template <class T>
template <class Weigh, class Wanted>
void PairGradient<T>::add_all(const PairTiles<T>& tiles, const Weigh& weigh, const Wanted& wanted) {
  const auto& anchor_blocks = tiles.anchor_blocks();
  const auto& candidate_blocks = tiles.candidate_blocks();
  const auto add_tile = [&](BlockPair blocks, T* candidate_sums, int thread) {
    if (!wanted(blocks)) return;
    const auto tile = tiles.tile(blocks, thread);
    weigh(tile, blocks, thread);
    const Position first{anchor_blocks.begin(blocks.row), candidate_blocks.begin(blocks.column)};
    if (out_.anchors) add_to_anchors(tile, first);
    if (candidate_sums) add_to_candidates(tile, first, candidate_sums);
  };
  if (rows_.symmetric) {
    run_rounds(Tournament(anchor_blocks.count()), [&](BlockPair blocks, int thread) {
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

}  // namespace projnce
