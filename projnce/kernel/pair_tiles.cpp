#include "projnce/kernel/pair_tiles.h"

#include <algorithm>

#include "projnce/kernel/blocks.h"
#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

/// Avoids a power-of-two stride, which would map a column's entries to the same few cache sets.
constexpr int64_t kStridePadding = 16;

template <class T>
void copy_classes(const int64_t* from, int64_t count, PaddedRows<LabelOf<T>>& to) {
  if (from == nullptr) return;
  std::transform(from, from + count, to.from(0), [](int64_t c) { return LabelOf<T>(c); });
}

}  // namespace

template <class T>
PairTiles<T>::PairTiles(const PairRows<T>& rows, double shift)
    : rows_(rows),
      anchor_blocks_{rows.num_anchors, tile_rows(rows.num_anchors)},
      candidate_blocks_{rows.num_candidates, tile_rows(rows.num_candidates)},
      panels_(rows.candidates, rows.num_candidates, rows.dim),
      bias_(rows.num_candidates),
      anchor_class_(rows.num_anchors),
      candidate_class_(rows.num_candidates),
      stride_(candidate_blocks_.size + kStridePadding),
      thread_size_(anchor_blocks_.size * stride_ + kPairSets * stride_),
      scratch_(kernel_threads() * thread_size_) {
  for (int64_t j = 0; j < rows.num_candidates; ++j) {
    *bias_.from(j) = static_cast<T>((rows.bias ? static_cast<double>(rows.bias[j]) : 0) - shift);
  }
  copy_classes<T>(rows.anchor_class, rows.num_anchors, anchor_class_);
  copy_classes<T>(rows.candidate_class, rows.num_candidates, candidate_class_);
  if (!rows.split()) return;
  anchor_ranges_ = class_ranges(rows.anchor_class, anchor_blocks_);
  candidate_ranges_ = class_ranges(rows.candidate_class, candidate_blocks_);
}

template <class T>
auto PairTiles<T>::class_ranges(const int64_t* classes, const RowBlocks& blocks)
    -> std::vector<ClassRange> {
  std::vector<ClassRange> ranges;
  for (int64_t b = 0; b < blocks.count(); ++b) {
    const auto* first = classes + blocks.begin(b);
    const auto [low, high] = std::minmax_element(first, first + blocks.length(b));
    ranges.push_back({*low, *high});
  }
  return ranges;
}

template <class T>
ScoreTile<T> PairTiles<T>::tile(BlockPair blocks, int thread) const {
  const int64_t first_row = anchor_blocks_.begin(blocks.row);
  const int64_t first_column = candidate_blocks_.begin(blocks.column);
  // Outside the tile, but representable in a vector lane.
  const int64_t limit = anchor_blocks_.size + candidate_blocks_.size;
  const int64_t self = std::clamp(rows_.self + first_row - first_column, -limit, limit);
  const ScoreTile<T> tile{
      .dots = scratch(thread),
      .stride = stride_,
      .rows = anchor_blocks_.length(blocks.row),
      .columns = candidate_blocks_.length(blocks.column),
      .scale = static_cast<T>(rows_.scale),
      .bias = bias_.from(first_column),
      .self = self,
      .row_class = rows_.split() ? anchor_class_.from(first_row) : nullptr,
      .column_class = rows_.split() ? candidate_class_.from(first_column) : nullptr,
  };
  kernels<T>().dot_tile(rows_.anchors + first_row * rows_.dim, rows_.dim, tile.rows,
                        panels_.from_row(first_column), panels_.panels(tile.columns), rows_.dim,
                        tile.dots, tile.stride);
  return tile;
}

template <class T>
TileKind PairTiles<T>::kind(const ScoreTile<T>& tile, bool both_roles) const {
  const bool holds_self = tile.self > -tile.rows && tile.self < tile.columns;
  const bool padded = tile.columns % panels_.width() != 0;
  return {.split = rows_.split(), .masked = holds_self || padded, .both_roles = both_roles};
}

template <class T>
bool PairTiles<T>::may_hold_positives(BlockPair blocks) const {
  const auto& a = anchor_ranges_[static_cast<size_t>(blocks.row)];
  const auto& b = candidate_ranges_[static_cast<size_t>(blocks.column)];
  return a.first <= b.last && b.first <= a.last;
}

template <class T>
T* PairTiles<T>::column_sums(PairSet set, int thread) const {
  T* sums = scratch(thread) + anchor_blocks_.size * stride_ + set * stride_;
  std::fill(sums, sums + stride_, T{0});
  return sums;
}

template class PairTiles<float>;
template class PairTiles<double>;

template <class T>
PairGradient<T>::PairGradient(const PairRows<T>& rows, const GradientRows<T>& out)
    : rows_(rows),
      out_(out),
      stride_(gradient_stride<T>(rows.dim)),
      candidate_panels_(rows.candidates, rows.num_candidates, rows.dim) {
  if (!rows.symmetric) anchor_panels_.emplace(rows.anchors, rows.num_anchors, rows.dim);
}

template <class T>
void PairGradient<T>::add_to_anchors(const ScoreTile<T>& grads, Position first) const {
  kernels<T>().add_product(grads.dots, grads.stride, 1, grads.rows,
                           candidate_panels_.from_row(first.candidate),
                           candidate_panels_.panel_stride(), candidate_panels_.panels(),
                           grads.columns, out_.anchors + first.anchor * stride_, stride_);
}

template <class T>
void PairGradient<T>::add_to_candidates(const ScoreTile<T>& grads, Position first, T* sums) const {
  const auto& panels = rows_.symmetric ? candidate_panels_ : *anchor_panels_;
  kernels<T>().add_product(grads.dots, 1, grads.stride, grads.columns,
                           panels.from_row(first.anchor), panels.panel_stride(), panels.panels(),
                           grads.rows, sums + first.candidate * stride_, stride_);
}

template <class T>
int64_t PairGradient<T>::copies(const PairTiles<T>& tiles) {
  constexpr int64_t kEnough = 16;
  const int64_t side_by_side =
      std::min(tiles.candidate_blocks().count(), tiles.anchor_blocks().count());
  return side_by_side >= kEnough ? 1 : std::min(kEnough, tiles.anchor_blocks().count());
}

template class PairGradient<float>;
template class PairGradient<double>;

}  // namespace projnce::kernel
