#pragma once

#include "projnce/kernel/exponential.h"
#include "projnce/kernel/score_tile.h"

namespace projnce::kernel {

/// Transform f(m) that is summed over the pairs of an anchor, where m = log(e^score + e^offset)
/// with the anchor's offset.
struct PairTransform {
  PairSet set;  ///< pairs to sum over
  double q;     ///< 0: f(m) = m; above 0: f(m) = (e^{q (m + shift)} - 1) / q
  double shift;
};

/// Arrays over the anchors of a tile.
template <class T>
struct TransformRows {
  const T* offset;  ///< -1e30 stands for minus infinity
  const T* weight;  ///< d loss / d sum; only used by backward
  double* sum;      ///< forward: sum of f; backward: d loss / d offset
};

template <class Arch, class T, bool kPower>
struct TransformPoint {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using E = Exponential<Arch, T>;

  V merged;  // log(e^score + e^offset)
  V share;   // d merged / d score

  PROJNCE_INLINE TransformPoint(V score, V offset) {
    const V difference = score - offset;
    const V small = E::anywhere(-S::absolute(difference));
    merged = S::larger(score, offset) + E::log_one_plus(small);
    share = (difference > T{0} ? S::all(1) : small) / (small + T{1});
  }
  PROJNCE_INLINE V value(const PairTransform& transform) const {
    if constexpr (!kPower) return merged;
    const T q = static_cast<T>(transform.q);
    return E::minus_one((merged + static_cast<T>(transform.shift)) * q) / q;
  }
  PROJNCE_INLINE V slope(const PairTransform& transform) const {
    if constexpr (!kPower) return S::all(1);
    return E::anywhere((merged + static_cast<T>(transform.shift)) * static_cast<T>(transform.q));
  }
};

/// Adds the transform of each row's pairs to its sum. kPower: q > 0.
template <class Arch, class T, bool kPower>
void transform_sum_tile(const ScoreTile<T>& tile, const PairTransform& transform,
                        const TransformRows<T>& rows) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, true, true> row(tile, i);
    const V offset = S::all(rows.offset[i]);
    V sum = {};
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const auto counts = row.in_set(transform.set, j);
      if (!S::any(counts)) continue;
      const TransformPoint<Arch, T, kPower> point(row.score(j), offset);
      sum += S::keep(counts, point.value(transform));
    }
    rows.sum[i] += S::sum(sum);
  }
}

/// Overwrites the dots with d loss / d dot and adds d loss / d offset to each row's sum.
template <class Arch, class T, bool kPower>
void transform_backward_tile(const ScoreTile<T>& tile, const PairTransform& transform,
                             const TransformRows<T>& rows) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, true, true> row(tile, i);
    const V offset = S::all(rows.offset[i]);
    const V weight = S::all(rows.weight[i]);
    T* out = tile.dots + i * tile.stride;
    V grad_offset = {};
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const auto counts = row.in_set(transform.set, j);
      const TransformPoint<Arch, T, kPower> point(row.score(j), offset);
      const V slope = S::keep(counts, weight * point.slope(transform));
      const V grad_score = slope * point.share;
      grad_offset += slope - grad_score;
      S::store(out + j, grad_score * tile.scale);
    }
    rows.sum[i] += S::sum(grad_offset);
  }
}

}  // namespace projnce::kernel
