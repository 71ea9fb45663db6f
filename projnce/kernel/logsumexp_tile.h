#pragma once

#include <cmath>

#include "projnce/kernel/exponential.h"
#include "projnce/kernel/score_tile.h"

namespace projnce::kernel {

/// Sums of exponentials over a tile, for each set of candidates.
template <class T>
struct TileSums {
  double* row[kPairSets];  ///< the rows as anchors
  T* column[kPairSets];    ///< the columns as anchors, [columns padded]; null if they are not
};

/// Online logsumexp: the logsumexp so far is max + log(sum).
struct OnlineLogSumExp {
  double* max[kPairSets];
  double* sum[kPairSets];
};

/// Factors of d loss / d score by set: weight * e^{score - logsumexp}.
template <class T>
struct TileGrad {
  const T* row_weight[kPairSets];
  const T* row_logsumexp[kPairSets];
  const T* column_weight[kPairSets];  ///< null if columns are not anchors
  const T* column_logsumexp[kPairSets];
};

/// Adds e^score of every valid pair to the sum of its anchor: the row and, with kBothRoles, also
/// the column, from one exponential. Scores must lie in the range of ExponentFormat.
template <class Arch, class T, bool kSplit, bool kMasked, bool kBothRoles>
void exp_sum_tile(const ScoreTile<T>& tile, const TileSums<T>& sums) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  constexpr int kUsed = kSplit ? 2 : 1;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, kSplit, kMasked> row(tile, i);
    V sum[kPairSets] = {};
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const V e = S::keep(row.present(j), Exponential<Arch, T>::bounded(row.score(j)));
      const auto same = row.same_class(j);
      const V part[kPairSets] = {S::keep(same, e), S::keep(~same, e)};
      for (int set = 0; set < kUsed; ++set) {
        sum[set] += part[set];
        if constexpr (kBothRoles) {
          T* column = sums.column[set] + j;
          S::store(column, S::load(column) + part[set]);
        }
      }
    }
    for (int set = 0; set < kUsed; ++set) sums.row[set][i] += S::sum(sum[set]);
  }
}

/// Updates the online logsumexp of the rows, for scores of any magnitude.
template <class Arch, class T, bool kSplit>
void online_logsumexp_tile(const ScoreTile<T>& tile, const OnlineLogSumExp& online) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  const V lowest = S::all(std::numeric_limits<T>::lowest());
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, kSplit, true> row(tile, i);
    for (int set = 0; set < (kSplit ? 2 : 1); ++set) {
      V top = lowest;
      for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
        top = S::larger(top, row.in_set(set, j) ? row.score(j) : lowest);
      }
      const T tile_max = S::largest(top);
      if (tile_max == lowest[0]) continue;
      double& max = online.max[set][i];
      double& sum = online.sum[set][i];
      const double new_max = tile_max > max ? tile_max : max;
      const T shift = static_cast<T>(new_max);
      V total = {};
      for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
        total += S::keep(row.in_set(set, j), Exponential<Arch, T>::anywhere(row.score(j) - shift));
      }
      sum = sum * std::exp(max - new_max) + S::sum(total);
      max = new_max;
    }
  }
}

/// Loads, for each pair, the column value of the set that the pair belongs to.
template <class S, class I>
PROJNCE_INLINE auto choose(I same, const auto* const* by_set, int64_t j) {
  const auto positive = S::load(by_set[kPositiveSet] + j);
  return same ? positive : S::load(by_set[kNegativeSet] + j);
}

/// Overwrites the dots with d loss / d dot: e^score times the weights of its anchors. The weights
/// already contain the logsumexp (row_logsumexp and column_logsumexp are not read), so one
/// exponential serves both roles. Scores must lie in the range of ExponentFormat.
template <class Arch, class T, bool kSplit, bool kMasked, bool kBothRoles>
void logsumexp_backward_tile(const ScoreTile<T>& tile, const TileGrad<T>& grad) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, kSplit, kMasked> row(tile, i);
    const V positive = S::all(grad.row_weight[kPositiveSet][i]);
    const V negative = kSplit ? S::all(grad.row_weight[kNegativeSet][i]) : positive;
    T* out = tile.dots + i * tile.stride;
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const V e = S::keep(row.present(j), Exponential<Arch, T>::bounded(row.score(j)));
      const auto same = row.same_class(j);
      V weight = kSplit ? (same ? positive : negative) : positive;
      if constexpr (kBothRoles) {
        weight += kSplit ? choose<S>(same, grad.column_weight, j)
                         : S::load(grad.column_weight[kPositiveSet] + j);
      }
      S::store(out + j, e * weight);
    }
  }
}

/// weight * e^{score - logsumexp}, bounded by weight: rounding must not make the exponent positive.
template <class Arch, class T, class V>
PROJNCE_INLINE V softmax_times(V score, V logsumexp, V weight) {
  using S = Simd<Arch, T>;
  return weight * Exponential<Arch, T>::anywhere(S::smaller(score - logsumexp, V{}));
}

/// logsumexp_backward_tile for scores of any magnitude, with one exponential per role.
template <class Arch, class T, bool kSplit, bool kMasked, bool kBothRoles>
void online_logsumexp_backward_tile(const ScoreTile<T>& tile, const TileGrad<T>& grad) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  constexpr int kOther = kSplit ? kNegativeSet : kPositiveSet;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, kSplit, kMasked> row(tile, i);
    const V positive_weight = S::all(grad.row_weight[kPositiveSet][i]);
    const V positive_logsumexp = S::all(grad.row_logsumexp[kPositiveSet][i]);
    const V other_weight = S::all(grad.row_weight[kOther][i]);
    const V other_logsumexp = S::all(grad.row_logsumexp[kOther][i]);
    T* out = tile.dots + i * tile.stride;
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const V score = row.score(j);
      const auto same = row.same_class(j);
      V weight = softmax_times<Arch, T>(score, V(same ? positive_logsumexp : other_logsumexp),
                                        V(same ? positive_weight : other_weight));
      if constexpr (kBothRoles && kSplit) {
        weight += softmax_times<Arch, T>(score, choose<S>(same, grad.column_logsumexp, j),
                                         choose<S>(same, grad.column_weight, j));
      } else if constexpr (kBothRoles) {
        weight += softmax_times<Arch, T>(score, S::load(grad.column_logsumexp[kPositiveSet] + j),
                                         S::load(grad.column_weight[kPositiveSet] + j));
      }
      S::store(out + j, S::keep(row.present(j), weight));
    }
  }
}

}  // namespace projnce::kernel
