#include "projnce/kernel/pairwise_logsumexp.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "projnce/kernel/exponential.h"
#include "projnce/kernel/logsumexp_tile.h"

namespace projnce::kernel {

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
    // Replace NaN by infinity, which the maximum propagates.
    most = square <= most ? most : std::isnan(square) ? HUGE_VAL : square;
  }
  return std::sqrt(most);
}

/// Bounds on the scores of all pairs.
struct ScoreRange {
  double shift;  ///< upper bound of the scores
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

void fill_sets(double* const (&result)[kPairSets], int64_t count, double value) {
  for (double* values : result) {
    if (values) std::fill_n(values, count, value);
  }
}

/// Online logsumexp for scores of any magnitude, with a running maximum per anchor.
template <class T>
void online_logsumexp(const PairRows<T>& rows, double* const (&result)[kPairSets]) {
  const PairTiles<T> tiles(rows, /*shift=*/0);
  const int sets = rows.split() ? 2 : 1;
  const auto update_tile = kernels<T>().online_logsumexp_tile[rows.split()];
  std::vector<double> max(static_cast<size_t>(sets * rows.num_anchors), -HUGE_VAL);
  fill_sets(result, rows.num_anchors, 0);
  const auto& blocks = tiles.anchor_blocks();
#pragma omp parallel for schedule(dynamic, 1) if (blocks.count() > 1)
  for (int64_t row = 0; row < blocks.count(); ++row) {
    const int64_t first = blocks.begin(row);
    OnlineLogSumExp online{};
    for (int set = 0; set < sets; ++set) {
      online.max[set] = max.data() + set * rows.num_anchors + first;
      online.sum[set] = result[set] + first;
    }
    for (int64_t column = 0; column < tiles.candidate_blocks().count(); ++column) {
      update_tile(tiles.tile({row, column}, omp_get_thread_num()), online);
    }
  }
  for (int set = 0; set < sets; ++set) {
    for (int64_t i = 0; i < rows.num_anchors; ++i) {
      double& value = result[set][i];
      value = max[static_cast<size_t>(set * rows.num_anchors + i)] + std::log(value);
    }
  }
}

template <class T>
void fill_gradient(T* rows, int64_t count, int64_t dim, T value) {
  if (rows) std::fill_n(rows, count * gradient_stride<T>(dim), value);
}

/// Weight and logsumexp of each anchor in one set, in the type of the tiles.
template <class T>
struct AnchorGrad {
  PaddedRows<T> weight;
  PaddedRows<T> logsumexp;

  /// With `fits` the weight contains the logsumexp: gradient * scale * e^{shift - logsumexp}.
  AnchorGrad(const PairRows<T>& rows, const ScoreRange& range, const double* values,
             const double* gradient)
      : weight(rows.num_anchors), logsumexp(rows.num_anchors) {
    for (int64_t i = 0; values && i < rows.num_anchors; ++i) {
      const bool empty = values[i] == -HUGE_VAL;
      const double value = empty ? 0 : values[i];
      const double factor = range.fits ? std::exp(range.shift - value) : 1;
      *weight.from(i) = static_cast<T>(empty ? 0 : gradient[i] * rows.scale * factor);
      *logsumexp.from(i) = static_cast<T>(value);
    }
  }
};

}  // namespace

template <class T>
void pairwise_logsumexp(const PairRows<T>& rows, double* const (&result)[kPairSets]) {
  const auto range = score_range(rows);
  if (!range.finite) return fill_sets(result, rows.num_anchors, std::nan(""));
  if (!range.fits) return online_logsumexp(rows, result);

  const PairTiles<T> tiles(rows, range.shift);
  const auto& blocks = tiles.anchor_blocks();
  const auto& exp_sum_tile = kernels<T>().exp_sum_tile;
  const int sets = rows.split() ? 2 : 1;
  fill_sets(result, rows.num_anchors, 0);
  if (rows.symmetric) {  // each unordered pair of blocks once: both sides are anchors
    PairQueue queue{RoundRobinSchedule(blocks.count())};
#pragma omp parallel if (blocks.count() > 1)
    for (typename decltype(queue)::Task task{}; queue.take(task); queue.finish(task)) {
      const int thread = omp_get_thread_num();
      const bool both = task.pair.row != task.pair.column;
      const auto tile = tiles.tile(task.pair, thread);
      TileSums<T> sums{};
      for (int set = 0; set < sets; ++set) {
        sums.row[set] = result[set] + blocks.begin(task.pair.row);
        if (both) sums.column[set] = tiles.column_sums(static_cast<PairSet>(set), thread);
      }
      exp_sum_tile[tiles.kind(tile, both)](tile, sums);
      for (int set = 0; both && set < sets; ++set) {
        double* to = result[set] + blocks.begin(task.pair.column);
        for (int64_t j = 0; j < tile.columns; ++j) to[j] += sums.column[set][j];
      }
    }
  } else {  // one row of tiles per thread
#pragma omp parallel for schedule(dynamic, 1) if (blocks.count() > 1)
    for (int64_t row = 0; row < blocks.count(); ++row) {
      TileSums<T> sums{};
      for (int set = 0; set < sets; ++set) sums.row[set] = result[set] + blocks.begin(row);
      for (int64_t column = 0; column < tiles.candidate_blocks().count(); ++column) {
        const auto tile = tiles.tile({row, column}, omp_get_thread_num());
        exp_sum_tile[tiles.kind(tile, /*both_roles=*/false)](tile, sums);
      }
    }
  }
  for (double* values : result) {
    for (int64_t i = 0; values && i < rows.num_anchors; ++i) {
      values[i] = range.shift + std::log(values[i]);
    }
  }
}

template <class T>
void pairwise_logsumexp_backward(const PairRows<T>& rows,
                                 const double* const (&logsumexp)[kPairSets],
                                 const double* const (&gradient)[kPairSets],
                                 const GradientRows<T>& out) {
  const auto range = score_range(rows);
  if (!range.finite) {
    fill_gradient(out.anchors, rows.num_anchors, rows.dim, std::numeric_limits<T>::quiet_NaN());
    fill_gradient(out.candidates, rows.num_candidates, rows.dim,
                  std::numeric_limits<T>::quiet_NaN());
    return;
  }
  const PairTiles<T> tiles(rows, range.fits ? range.shift : 0);
  const AnchorGrad<T> grads[kPairSets] = {
      {rows, range, logsumexp[kPositiveSet], gradient[kPositiveSet]},
      {rows, range, logsumexp[kNegativeSet], gradient[kNegativeSet]}};
  const auto& backward_tile = range.fits ? kernels<T>().logsumexp_backward_tile
                                         : kernels<T>().online_logsumexp_backward_tile;
  const auto score_gradients = [&](const ScoreTile<T>& tile, BlockPair blocks, int /*thread*/) {
    const int64_t row = tiles.anchor_blocks().begin(blocks.row);
    const int64_t column = tiles.candidate_blocks().begin(blocks.column);
    TileGrad<T> grad{};
    for (int set = 0; set < kPairSets; ++set) {
      grad.row_weight[set] = grads[set].weight.from(row);
      grad.row_logsumexp[set] = grads[set].logsumexp.from(row);
      if (!rows.symmetric) continue;
      grad.column_weight[set] = grads[set].weight.from(column);
      grad.column_logsumexp[set] = grads[set].logsumexp.from(column);
    }
    backward_tile[tiles.kind(tile, /*both_roles=*/rows.symmetric)](tile, grad);
  };
  PairGradient<T>(rows, out).add_all(tiles, score_gradients, [](BlockPair) { return true; });
}

template void pairwise_logsumexp(const PairRows<float>&, double* const (&)[kPairSets]);
template void pairwise_logsumexp(const PairRows<double>&, double* const (&)[kPairSets]);
template void pairwise_logsumexp_backward(const PairRows<float>&,
                                          const double* const (&)[kPairSets],
                                          const double* const (&)[kPairSets],
                                          const GradientRows<float>&);
template void pairwise_logsumexp_backward(const PairRows<double>&,
                                          const double* const (&)[kPairSets],
                                          const double* const (&)[kPairSets],
                                          const GradientRows<double>&);

}  // namespace projnce::kernel
