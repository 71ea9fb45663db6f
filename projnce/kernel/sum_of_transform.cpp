#include "projnce/kernel/sum_of_transform.h"

#include <algorithm>

namespace projnce::kernel {

namespace {

template <class T>
bool may_hold_pairs(const PairTiles<T>& tiles, const PairTransform& transform, BlockPair blocks) {
  return transform.set != kPositiveSet || tiles.may_hold_positives(blocks);
}

}  // namespace

template <class T>
void sum_of_transform(const PairRows<T>& rows, const PairTransform& transform, const T* offset,
                      double* sum) {
  const PairTiles<T> tiles(rows, /*shift=*/0);
  std::fill_n(sum, rows.num_anchors, 0.0);
  const auto& blocks = tiles.anchor_blocks();
  const auto transform_sum_tile = kernels<T>().transform_sum_tile[transform.q > 0];
#pragma omp parallel for schedule(dynamic, 1) if (blocks.count() > 1)
  for (int64_t row = 0; row < blocks.count(); ++row) {
    const int64_t first = blocks.begin(row);
    for (int64_t column = 0; column < tiles.candidate_blocks().count(); ++column) {
      if (!may_hold_pairs(tiles, transform, {row, column})) continue;
      transform_sum_tile(tiles.tile({row, column}, omp_get_thread_num()), transform,
                         {.offset = offset + first, .weight = nullptr, .sum = sum + first});
    }
  }
}

template <class T>
void sum_of_transform_backward(const PairRows<T>& rows, const PairTransform& transform,
                               const T* offset, const double* gradient, const GradientRows<T>& out,
                               double* d_offset) {
  const PairTiles<T> tiles(rows, /*shift=*/0);
  std::vector<T> weight(static_cast<size_t>(rows.num_anchors));
  std::transform(gradient, gradient + rows.num_anchors, weight.begin(),
                 [](double g) { return static_cast<T>(g); });
  const auto backward_tile = kernels<T>().transform_backward_tile[transform.q > 0];
  const auto score_gradients = [&](const ScoreTile<T>& tile, BlockPair blocks, int /*thread*/) {
    const int64_t first = tiles.anchor_blocks().begin(blocks.row);
    backward_tile(
        tile, transform,
        {.offset = offset + first, .weight = weight.data() + first, .sum = d_offset + first});
  };
  PairGradient<T>(rows, out).add_all(tiles, score_gradients, [&](BlockPair blocks) {
    return may_hold_pairs(tiles, transform, blocks);
  });
}

template void sum_of_transform(const PairRows<float>&, const PairTransform&, const float*, double*);
template void sum_of_transform(const PairRows<double>&, const PairTransform&, const double*,
                               double*);
template void sum_of_transform_backward(const PairRows<float>&, const PairTransform&, const float*,
                                        const double*, const GradientRows<float>&, double*);
template void sum_of_transform_backward(const PairRows<double>&, const PairTransform&,
                                        const double*, const double*, const GradientRows<double>&,
                                        double*);

}  // namespace projnce::kernel
