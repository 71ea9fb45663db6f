#include "projnce/kernel/conv/direct_weights.h"

#include <algorithm>

namespace projnce {

namespace {

/// Calls visit(weight, panel) with the places of every weight of one block of outputs, in both.
template <class Visit>
void for_weights(const ConvGeometry& geometry, const TapPlan& plan, int64_t block,
                 const Visit& visit) {
  const int64_t area = geometry.kernel * geometry.kernel;
  const int64_t first = block * kChannelBlock;
  const int64_t outs = std::min(kChannelBlock, geometry.out_channels - first);
  for (int64_t o = 0; o < outs; ++o) {
    for (int64_t place = 0; place < area; ++place) {
      const int64_t weight = ((first + o) * area + place) * geometry.in_channels;
      const int64_t panel = (block * area + place) * plan.channels * kChannelBlock + o;
      for (int64_t i = 0; i < geometry.in_channels; ++i) {
        visit(weight + i, panel + i * kChannelBlock);
      }
    }
  }
}

}  // namespace

template <class T>
void share_forward_panels(const ConvGeometry& geometry, const TapPlan& plan, const T* weights,
                          T* panels) {
  const int64_t size = plan.taps * plan.depth * kChannelBlock;
#pragma omp for schedule(static)
  for (int64_t block = 0; block < blocks_of(geometry.out_channels); ++block) {
    std::fill_n(panels + block * size, size, T(0));
    for_weights(geometry, plan, block,
                [&](int64_t weight, int64_t panel) { panels[panel] = weights[weight]; });
  }
}

template <class T>
void share_backward_panels(const ConvGeometry& geometry, const T* weights, T* panels) {
  const int64_t area = geometry.kernel * geometry.kernel;
  const int64_t outs = blocks_of(geometry.out_channels) * kChannelBlock;
#pragma omp for schedule(static)
  for (int64_t block = 0; block < blocks_of(geometry.in_channels); ++block) {
    T* to = panels + block * area * outs * kChannelBlock;
    std::fill_n(to, area * outs * kChannelBlock, T(0));
    const int64_t first = block * kChannelBlock;
    const int64_t ins = std::min(kChannelBlock, geometry.in_channels - first);
    for (int64_t o = 0; o < geometry.out_channels; ++o) {
      for (int64_t place = 0; place < area; ++place) {
        std::copy_n(weights + (o * area + place) * geometry.in_channels + first, ins,
                    to + (place * outs + o) * kChannelBlock);
      }
    }
  }
}

template <class T>
void share_panel_gradient(const ConvGeometry& geometry, const TapPlan& plan, const T* panels,
                          T* weight_gradient) {
#pragma omp for schedule(static)
  for (int64_t block = 0; block < blocks_of(geometry.out_channels); ++block) {
    for_weights(geometry, plan, block,
                [&](int64_t weight, int64_t panel) { weight_gradient[weight] = panels[panel]; });
  }
}

template void share_forward_panels(const ConvGeometry&, const TapPlan&, const float*, float*);
template void share_forward_panels(const ConvGeometry&, const TapPlan&, const double*, double*);
template void share_backward_panels(const ConvGeometry&, const float*, float*);
template void share_backward_panels(const ConvGeometry&, const double*, double*);
template void share_panel_gradient(const ConvGeometry&, const TapPlan&, const float*, float*);
template void share_panel_gradient(const ConvGeometry&, const TapPlan&, const double*, double*);

}  // namespace projnce
