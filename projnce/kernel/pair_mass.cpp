#include "projnce/kernel/pair_mass.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "projnce/kernel/exponential.h"

namespace projnce {

namespace {

template <class T>
double largest_norm(const T* rows, int64_t count, int64_t dim) {
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most) if (count > 1000)
  for (int64_t i = 0; i < count; ++i) {
    const T* row = rows + i * dim;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (int64_t k = 0; k < dim; ++k) square += static_cast<double>(row[k]) * row[k];
    // NaN is larger than anything here: a maximum must not lose it.
    most = square <= most ? most : std::isnan(square) ? HUGE_VAL : square;
  }
  return std::sqrt(most);
}

/// How far scores can lie apart.
struct ScoreRange {
  double shift;  ///< the largest that a score can be
  bool finite;
  bool fits;  ///< e^{score - shift} is a normal number for every pair
};

template <class T>
ScoreRange score_range(const PairRows<T>& rows) {
  const double anchors = largest_norm(rows.anchors, rows.num_anchors, rows.dim);
  const double candidates =
      rows.symmetric ? anchors : largest_norm(rows.candidates, rows.num_candidates, rows.dim);
  const double bound = anchors * candidates * rows.scale * (1 + 1e-5);
  double low = 0;
  double high = 0;
  if (rows.bias) {
    const auto [least, most] = std::minmax_element(rows.bias, rows.bias + rows.num_candidates);
    low = *least;
    high = *most;
  }
  return {.shift = bound + high,
          .finite = bound < static_cast<double>(std::numeric_limits<T>::max()) / 8,
          .fits = 2 * bound + high - low < -1 - static_cast<double>(ExponentFormat<T>::kLowest)};
}

void fill_masses(double* const (&log_mass)[kPairSets], int64_t count, double value) {
  for (double* masses : log_mass) {
    if (masses) std::fill_n(masses, count, value);
  }
}

/// Every pair of blocks once; both sides are anchors.
template <class T>
void sum_symmetric(const PairTiles<T>& tiles, double* const (&sums)[kPairSets]) {
  const auto& blocks = tiles.anchor_blocks();
  run_rounds(Tournament(blocks.count()), [&](BlockPair pair, int thread) {
    const bool both = pair.row != pair.column;
    const auto tile = tiles.tile(pair, thread);
    const auto kind = tiles.kind(tile, both);
    TileMasses<T> masses{};
    for (int set = 0; set < (kind.split ? 2 : 1); ++set) {
      masses.row[set] = sums[set] + blocks.begin(pair.row);
      if (both) masses.column[set] = tiles.column_sums(static_cast<PairSet>(set), thread);
    }
    kernels<T>().add_masses(tile, masses, kind);
    for (int set = 0; both && set < (kind.split ? 2 : 1); ++set) {
      double* to = sums[set] + blocks.begin(pair.column);
      for (int64_t j = 0; j < tile.columns; ++j) to[j] += masses.column[set][j];
    }
  });
}

/// Calls add(tile, first anchor, kind) for every tile, one row of blocks on one thread.
template <class T, class Add>
void for_each_row_of_tiles(const PairTiles<T>& tiles, const Add& add) {
  run_parallel(tiles.anchor_blocks().count(), [&](int64_t row, int thread) {
    for (int64_t column = 0; column < tiles.candidate_blocks().count(); ++column) {
      const auto tile = tiles.tile({row, column}, thread);
      add(tile, tiles.anchor_blocks().begin(row), tiles.kind(tile, /*both_roles=*/false));
    }
  });
}

template <class T>
void sum_rows(const PairTiles<T>& tiles, double* const (&sums)[kPairSets]) {
  for_each_row_of_tiles(tiles, [&](const ScoreTile<T>& tile, int64_t first, TileKind kind) {
    TileMasses<T> masses{};
    for (int set = 0; set < (kind.split ? 2 : 1); ++set) masses.row[set] = sums[set] + first;
    kernels<T>().add_masses(tile, masses, kind);
  });
}

template <class T>
void running_mass(const PairRows<T>& rows, double* const (&log_mass)[kPairSets]) {
  const PairTiles<T> tiles(rows, /*shift=*/0);
  const int sets = rows.split() ? 2 : 1;
  std::vector<double> max(static_cast<size_t>(sets * rows.num_anchors), -HUGE_VAL);
  fill_masses(log_mass, rows.num_anchors, 0);
  for_each_row_of_tiles(tiles, [&](const ScoreTile<T>& tile, int64_t first, TileKind kind) {
    RunningMass mass{};
    for (int set = 0; set < sets; ++set) {
      mass.max[set] = max.data() + set * rows.num_anchors + first;
      mass.sum[set] = log_mass[set] + first;
    }
    kernels<T>().add_running_masses(tile, mass, kind);
  });
  for (int set = 0; set < sets; ++set) {
    for (int64_t i = 0; i < rows.num_anchors; ++i) {
      double& value = log_mass[set][i];
      value = max[static_cast<size_t>(set * rows.num_anchors + i)] + std::log(value);
    }
  }
}

template <class T>
void fill_gradient(T* rows, int64_t count, int64_t dim, T value) {
  if (rows) std::fill_n(rows, count * gradient_stride<T>(dim), value);
}

/// Weights and masses of the anchors in the numbers of the tiles.
template <class T>
struct AnchorPull {
  PaddedRows<T> weight;
  PaddedRows<T> log_mass;

  /// With `fits` the mass is part of the weight: gradient * scale * e^{shift - log_mass}.
  AnchorPull(const PairRows<T>& rows, const ScoreRange& range, const double* masses,
             const double* gradient)
      : weight(rows.num_anchors), log_mass(rows.num_anchors) {
    for (int64_t i = 0; masses && i < rows.num_anchors; ++i) {
      const bool empty = masses[i] == -HUGE_VAL;
      const double mass = empty ? 0 : masses[i];
      const double factor = range.fits ? std::exp(range.shift - mass) : 1;
      *weight.from(i) = static_cast<T>(empty ? 0 : gradient[i] * rows.scale * factor);
      *log_mass.from(i) = static_cast<T>(mass);
    }
  }
};

}  // namespace

template <class T>
void pair_mass(const PairRows<T>& rows, double* const (&log_mass)[kPairSets]) {
  const auto range = score_range(rows);
  if (!range.finite) return fill_masses(log_mass, rows.num_anchors, std::nan(""));
  if (!range.fits) return running_mass(rows, log_mass);
  const PairTiles<T> tiles(rows, range.shift);
  fill_masses(log_mass, rows.num_anchors, 0);
  if (rows.symmetric) {
    sum_symmetric(tiles, log_mass);
  } else {
    sum_rows(tiles, log_mass);
  }
  for (double* masses : log_mass) {
    for (int64_t i = 0; masses && i < rows.num_anchors; ++i) {
      masses[i] = range.shift + std::log(masses[i]);
    }
  }
}

template <class T>
void pair_mass_gradient(const PairRows<T>& rows, const double* const (&log_mass)[kPairSets],
                        const double* const (&gradient)[kPairSets], const GradientRows<T>& out) {
  const auto range = score_range(rows);
  if (!range.finite) {
    fill_gradient(out.anchors, rows.num_anchors, rows.dim, std::numeric_limits<T>::quiet_NaN());
    fill_gradient(out.candidates, rows.num_candidates, rows.dim,
                  std::numeric_limits<T>::quiet_NaN());
    return;
  }
  const PairTiles<T> tiles(rows, range.fits ? range.shift : 0);
  const AnchorPull<T> pulls[kPairSets] = {
      {rows, range, log_mass[kPositiveSet], gradient[kPositiveSet]},
      {rows, range, log_mass[kNegativeSet], gradient[kNegativeSet]}};
  const auto weigh_tile = range.fits ? kernels<T>().weigh_pairs : kernels<T>().weigh_pairs_any;
  const auto weigh = [&](const ScoreTile<T>& tile, BlockPair blocks, int /*thread*/) {
    const int64_t row = tiles.anchor_blocks().begin(blocks.row);
    const int64_t column = tiles.candidate_blocks().begin(blocks.column);
    TilePull<T> pull{};
    for (int set = 0; set < kPairSets; ++set) {
      pull.row_weight[set] = pulls[set].weight.from(row);
      pull.row_log_mass[set] = pulls[set].log_mass.from(row);
      if (!rows.symmetric) continue;
      pull.column_weight[set] = pulls[set].weight.from(column);
      pull.column_log_mass[set] = pulls[set].log_mass.from(column);
    }
    weigh_tile(tile, pull, tiles.kind(tile, /*both_roles=*/rows.symmetric));
  };
  PairGradient<T>(rows, out).add_all(tiles, weigh, [](BlockPair) { return true; });
}

template void pair_mass(const PairRows<float>&, double* const (&)[kPairSets]);
template void pair_mass(const PairRows<double>&, double* const (&)[kPairSets]);
template void pair_mass_gradient(const PairRows<float>&, const double* const (&)[kPairSets],
                                 const double* const (&)[kPairSets], const GradientRows<float>&);
template void pair_mass_gradient(const PairRows<double>&, const double* const (&)[kPairSets],
                                 const double* const (&)[kPairSets], const GradientRows<double>&);

}  // namespace projnce
