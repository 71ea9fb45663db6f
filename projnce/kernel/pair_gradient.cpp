#include "projnce/kernel/pair_gradient.h"

namespace projnce {

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

}  // namespace projnce
