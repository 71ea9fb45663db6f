#pragma once

#include <cstdint>

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

template <class T>
using LabelOf = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

/// Dot products of a block of anchors with a block of candidates, and the data that determines
/// which pairs are valid. Columns, and arrays over columns, are padded to whole panels.
template <class T>
struct ScoreTile {
  T* dots;  ///< [rows, stride]
  int64_t stride;
  int64_t rows;
  int64_t columns;
  T scale;  ///< the score of a pair is scale * dot + bias of its column
  const T* bias;
  int64_t self;                    ///< column that is row 0 itself; may lie outside the tile
  const LabelOf<T>* row_class;     ///< null if the pairs are one set
  const LabelOf<T>* column_class;  ///< null if the pairs are one set
};

/// Two sets of candidates of an anchor. Without classes all candidates are in the first set.
enum PairSet : int { kPositiveSet, kNegativeSet, kPairSets };

/// Selects the variant of a loop for a tile.
struct TileKind {
  bool split;       ///< candidates are split by class
  bool masked;      ///< the tile contains anchors themselves, or padding
  bool both_roles;  ///< columns are also anchors

  /// Index 0 .. 7 in TileVariants.
  int index() const { return 4 * split + 2 * masked + both_roles; }
};

/// Masks and scores of the pairs of one row of a tile, one vector at a time.
template <class Arch, class T, bool kSplit, bool kMasked>
struct TileRow {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using I = typename S::I;
  using Lane = typename S::Lane;

  const ScoreTile<T>& tile;
  const T* dots;
  Lane self;
  Lane own_class;

  PROJNCE_INLINE TileRow(const ScoreTile<T>& of, int64_t i)
      : tile(of),
        dots(of.dots + i * of.stride),
        self(static_cast<Lane>(of.self + i)),
        own_class(kSplit ? of.row_class[i] : 0) {}

  PROJNCE_INLINE V score(int64_t j) const {
    return S::load(dots + j) * tile.scale + S::load(tile.bias + j);
  }
  /// Mask of the columns that are neither the row itself nor padding.
  PROJNCE_INLINE I present(int64_t j) const {
    if constexpr (!kMasked) return S::all_lanes(-1);
    const I column = S::count_from(static_cast<Lane>(j));
    return (column != self) & (column < static_cast<Lane>(tile.columns));
  }
  PROJNCE_INLINE I same_class(int64_t j) const {
    if constexpr (!kSplit) return S::all_lanes(-1);
    return S::load(tile.column_class + j) == own_class;
  }
  PROJNCE_INLINE I in_set(int set, int64_t j) const {
    const I same = same_class(j);
    return present(j) & (set == kPositiveSet ? same : ~same);
  }
};

}  // namespace projnce::kernel
