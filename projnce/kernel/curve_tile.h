#pragma once

#include "projnce/kernel/exponential.h"
#include "projnce/kernel/score_tile.h"

namespace projnce {

/// What is summed over the pairs of an anchor: a curve over m = log(e^score + e^level), the level
/// being the anchor's own.
struct PairCurve {
  PairSet set;  ///< the pairs that are summed
  double q;     ///< 0: m itself; above: (e^{q (m + shift)} - 1) / q
  double shift;
};

/// Per anchor of a tile.
template <class T>
struct CurveRows {
  const T* level;   ///< -1e30 stands for minus infinity
  const T* weight;  ///< d loss / d sum, for the gradient alone
  double* sum;      ///< forward: the curve; backward: its derivative by the level
};

template <class Arch, class T, bool kPower>
struct CurvePoint {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  using E = Exponential<Arch, T>;

  V merged;  // log(e^score + e^level)
  V share;   // of the score in it

  PROJNCE_INLINE CurvePoint(V score, V level) {
    const V difference = score - level;
    const V small = E::anywhere(-S::absolute(difference));
    merged = S::larger(score, level) + E::log_one_plus(small);
    share = (difference > T{0} ? S::all(1) : small) / (small + T{1});
  }
  PROJNCE_INLINE V value(const PairCurve& curve) const {
    if constexpr (!kPower) return merged;
    const T q = static_cast<T>(curve.q);
    return E::minus_one((merged + static_cast<T>(curve.shift)) * q) / q;
  }
  PROJNCE_INLINE V slope(const PairCurve& curve) const {
    if constexpr (!kPower) return S::all(1);
    return E::anywhere((merged + static_cast<T>(curve.shift)) * static_cast<T>(curve.q));
  }
};

template <class Arch, class T, bool kPower>
__attribute__((noinline)) void add_curve_of(const ScoreTile<T>& tile, const PairCurve& curve,
                                            const CurveRows<T>& rows) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, true, true> row(tile, i);
    const V level = S::all(rows.level[i]);
    V sum = {};
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const auto counts = row.in_set(curve.set, j);
      if (!S::any(counts)) continue;
      const CurvePoint<Arch, T, kPower> point(row.score(j), level);
      sum += S::keep(counts, point.value(curve));
    }
    rows.sum[i] += S::sum(sum);
  }
}

/// Adds the curve over each row's pairs to its sum.
template <class Arch, class T>
void add_curve(const ScoreTile<T>& tile, const PairCurve& curve, const CurveRows<T>& rows) {
  if (curve.q > 0) return add_curve_of<Arch, T, true>(tile, curve, rows);
  add_curve_of<Arch, T, false>(tile, curve, rows);
}

template <class Arch, class T, bool kPower>
__attribute__((noinline)) void weigh_curve_of(const ScoreTile<T>& tile, const PairCurve& curve,
                                              const CurveRows<T>& rows) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, true, true> row(tile, i);
    const V level = S::all(rows.level[i]);
    const V weight = S::all(rows.weight[i]);
    T* out = tile.dots + i * tile.stride;
    V by_level = {};
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const auto counts = row.in_set(curve.set, j);
      const CurvePoint<Arch, T, kPower> point(row.score(j), level);
      const V slope = S::keep(counts, weight * point.slope(curve));
      const V by_score = slope * point.share;
      by_level += slope - by_score;
      S::store(out + j, by_score * tile.scale);
    }
    rows.sum[i] += S::sum(by_level);
  }
}

/// Overwrites the dots by d loss / d dot and adds d loss / d level to each row's sum.
template <class Arch, class T>
void weigh_curve(const ScoreTile<T>& tile, const PairCurve& curve, const CurveRows<T>& rows) {
  if (curve.q > 0) return weigh_curve_of<Arch, T, true>(tile, curve, rows);
  weigh_curve_of<Arch, T, false>(tile, curve, rows);
}

}  // namespace projnce
