#pragma once

#include <cmath>

#include "projnce/kernel/exponential.h"
#include "projnce/kernel/score_tile.h"

namespace projnce {

/// Where the exponentials of a tile are summed, by set of candidates.
template <class T>
struct TileMasses {
  double* row[kPairSets];  ///< the rows as anchors
  T* column[kPairSets];    ///< the columns as anchors, [columns padded]; null where they are not
};

/// log-sum-exp in progress: sum times e^max.
struct RunningMass {
  double* max[kPairSets];
  double* sum[kPairSets];
};

/// What the gradient of each pair's dot product is made of, by set: weight * e^{score - log_mass}.
template <class T>
struct TilePull {
  const T* row_weight[kPairSets];
  const T* row_log_mass[kPairSets];
  const T* column_weight[kPairSets];  ///< null where columns are not anchors
  const T* column_log_mass[kPairSets];
};

/// Which of the variants of a loop a tile needs.
struct TileKind {
  bool split;       ///< by class
  bool masked;      ///< holds the anchors themselves, or padding
  bool both_roles;  ///< columns are anchors too
};

/// Calls f with the three flags as constants.
template <class F>
PROJNCE_INLINE void for_kind(const TileKind& kind, const F& f) {
  const auto with = [&]<bool kSplit, bool kMasked>() {
    if (kind.both_roles) {
      f.template operator()<kSplit, kMasked, true>();
    } else {
      f.template operator()<kSplit, kMasked, false>();
    }
  };
  if (kind.split && kind.masked) return with.template operator()<true, true>();
  if (kind.split) return with.template operator()<true, false>();
  if (kind.masked) return with.template operator()<false, true>();
  with.template operator()<false, false>();
}

template <class Arch, class T, bool kSplit, bool kMasked, bool kBothRoles>
__attribute__((noinline)) void add_masses_of(const ScoreTile<T>& tile,
                                             const TileMasses<T>& masses) {
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
          T* column = masses.column[set] + j;
          S::store(column, S::load(column) + part[set]);
        }
      }
    }
    for (int set = 0; set < kUsed; ++set) masses.row[set][i] += S::sum(sum[set]);
  }
}

/// Adds e^score of every pair that counts to the sums of its anchor: of the row, and with both
/// roles of the column too, from one exponential. Scores must lie in the range of normal numbers.
template <class Arch, class T>
void add_masses(const ScoreTile<T>& tile, const TileMasses<T>& masses, TileKind kind) {
  for_kind(kind, [&]<bool kSplit, bool kMasked, bool kBothRoles>() {
    add_masses_of<Arch, T, kSplit, kMasked, kBothRoles>(tile, masses);
  });
}

template <class Arch, class T, bool kSplit>
__attribute__((noinline)) void add_running_masses_of(const ScoreTile<T>& tile,
                                                     const RunningMass& mass) {
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
      double& max = mass.max[set][i];
      double& sum = mass.sum[set][i];
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

/// The same for scores of any size, of the rows alone: two exponents meet at their maximum.
template <class Arch, class T>
void add_running_masses(const ScoreTile<T>& tile, const RunningMass& mass, TileKind kind) {
  if (kind.split) return add_running_masses_of<Arch, T, true>(tile, mass);
  add_running_masses_of<Arch, T, false>(tile, mass);
}

/// Reads what each set says of a column, by the class of its pair with the row.
template <class S, class I>
PROJNCE_INLINE auto choose(I same, const auto* const* by_set, int64_t j) {
  const auto positive = S::load(by_set[kPositiveSet] + j);
  return same ? positive : S::load(by_set[kNegativeSet] + j);
}

template <class Arch, class T, bool kSplit, bool kMasked, bool kBothRoles>
__attribute__((noinline)) void weigh_pairs_of(const ScoreTile<T>& tile, const TilePull<T>& pull) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, kSplit, kMasked> row(tile, i);
    const V own = S::all(pull.row_weight[kPositiveSet][i]);
    const V other = kSplit ? S::all(pull.row_weight[kNegativeSet][i]) : own;
    T* out = tile.dots + i * tile.stride;
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const V e = S::keep(row.present(j), Exponential<Arch, T>::bounded(row.score(j)));
      const auto same = row.same_class(j);
      V weight = kSplit ? (same ? own : other) : own;
      if constexpr (kBothRoles) {
        weight += kSplit ? choose<S>(same, pull.column_weight, j)
                         : S::load(pull.column_weight[kPositiveSet] + j);
      }
      S::store(out + j, e * weight);
    }
  }
}

/// Overwrites the dots by d loss / d dot: e^score times the weights of its anchors. The weights
/// carry the masses already (row_log_mass and column_log_mass are not read), so one exponential
/// serves both roles. Scores must lie in the range of normal numbers.
template <class Arch, class T>
void weigh_pairs(const ScoreTile<T>& tile, const TilePull<T>& pull, TileKind kind) {
  for_kind(kind, [&]<bool kSplit, bool kMasked, bool kBothRoles>() {
    weigh_pairs_of<Arch, T, kSplit, kMasked, kBothRoles>(tile, pull);
  });
}

/// weight e^{score - log_mass}, at most weight: rounding must not make an exponent positive.
template <class Arch, class T, class V>
PROJNCE_INLINE V share(V score, V log_mass, V weight) {
  using S = Simd<Arch, T>;
  return weight * Exponential<Arch, T>::anywhere(S::smaller(score - log_mass, V{}));
}

template <class Arch, class T, bool kSplit, bool kMasked, bool kBothRoles>
__attribute__((noinline)) void weigh_pairs_any_of(const ScoreTile<T>& tile,
                                                  const TilePull<T>& pull) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  constexpr int kOther = kSplit ? kNegativeSet : kPositiveSet;
  for (int64_t i = 0; i < tile.rows; ++i) {
    const TileRow<Arch, T, kSplit, kMasked> row(tile, i);
    const V own_weight = S::all(pull.row_weight[kPositiveSet][i]);
    const V own_mass = S::all(pull.row_log_mass[kPositiveSet][i]);
    const V other_weight = S::all(pull.row_weight[kOther][i]);
    const V other_mass = S::all(pull.row_log_mass[kOther][i]);
    T* out = tile.dots + i * tile.stride;
    for (int64_t j = 0; j < tile.columns; j += S::kWidth) {
      const V score = row.score(j);
      const auto same = row.same_class(j);
      V weight = share<Arch, T>(score, V(same ? own_mass : other_mass),
                                V(same ? own_weight : other_weight));
      if constexpr (kBothRoles && kSplit) {
        weight += share<Arch, T>(score, choose<S>(same, pull.column_log_mass, j),
                                 choose<S>(same, pull.column_weight, j));
      } else if constexpr (kBothRoles) {
        weight += share<Arch, T>(score, S::load(pull.column_log_mass[kPositiveSet] + j),
                                 S::load(pull.column_weight[kPositiveSet] + j));
      }
      S::store(out + j, S::keep(row.present(j), weight));
    }
  }
}

/// The same for scores of any size, with an exponential for each role.
template <class Arch, class T>
void weigh_pairs_any(const ScoreTile<T>& tile, const TilePull<T>& pull, TileKind kind) {
  for_kind(kind, [&]<bool kSplit, bool kMasked, bool kBothRoles>() {
    weigh_pairs_any_of<Arch, T, kSplit, kMasked, kBothRoles>(tile, pull);
  });
}

}  // namespace projnce
