#include "projnce/kernel/pair_curve.h"

#include <algorithm>

namespace projnce {

namespace {

template <class T>
bool holds_pairs(const PairTiles<T>& tiles, const PairCurve& curve, BlockPair blocks) {
  return curve.set != kPositiveSet || tiles.may_hold_positives(blocks);
}

}  // namespace

template <class T>
void pair_curve(const PairRows<T>& rows, const PairCurve& curve, const T* level, double* sum) {
  const PairTiles<T> tiles(rows, /*shift=*/0);
  std::fill_n(sum, rows.num_anchors, 0.0);
  run_parallel(tiles.anchor_blocks().count(), [&](int64_t row, int thread) {
    const int64_t first = tiles.anchor_blocks().begin(row);
    for (int64_t column = 0; column < tiles.candidate_blocks().count(); ++column) {
      if (!holds_pairs(tiles, curve, {row, column})) continue;
      kernels<T>().add_curve(tiles.tile({row, column}, thread), curve,
                             {.level = level + first, .weight = nullptr, .sum = sum + first});
    }
  });
}

template <class T>
void pair_curve_gradient(const PairRows<T>& rows, const PairCurve& curve, const T* level,
                         const double* gradient, const GradientRows<T>& out, double* d_level) {
  const PairTiles<T> tiles(rows, /*shift=*/0);
  std::vector<T> weight(static_cast<size_t>(rows.num_anchors));
  std::transform(gradient, gradient + rows.num_anchors, weight.begin(),
                 [](double g) { return static_cast<T>(g); });
  const auto weigh = [&](const ScoreTile<T>& tile, BlockPair blocks, int /*thread*/) {
    const int64_t first = tiles.anchor_blocks().begin(blocks.row);
    kernels<T>().weigh_curve(
        tile, curve,
        {.level = level + first, .weight = weight.data() + first, .sum = d_level + first});
  };
  PairGradient<T>(rows, out).add_all(
      tiles, weigh, [&](BlockPair blocks) { return holds_pairs(tiles, curve, blocks); });
}

template void pair_curve(const PairRows<float>&, const PairCurve&, const float*, double*);
template void pair_curve(const PairRows<double>&, const PairCurve&, const double*, double*);
template void pair_curve_gradient(const PairRows<float>&, const PairCurve&, const float*,
                                  const double*, const GradientRows<float>&, double*);
template void pair_curve_gradient(const PairRows<double>&, const PairCurve&, const double*,
                                  const double*, const GradientRows<double>&, double*);

}  // namespace projnce
