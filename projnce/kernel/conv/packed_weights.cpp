#include "projnce/kernel/conv/packed_weights.h"

#include <algorithm>

#include "projnce/kernel/table.h"

namespace projnce::kernel {

namespace {

/// Calls visit(weight, panel) with the offsets of every weight of one output block, in the weights
/// and in the panels.
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
void pack_forward_panels(const ConvGeometry& geometry, const TapPlan& plan, const T* weights,
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
void pack_backward_panels(const ConvGeometry& geometry, const T* weights, T* panels) {
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
void unpack_panel_gradient(const ConvGeometry& geometry, const TapPlan& plan, const T* panels,
                           T* weight_gradient) {
#pragma omp for schedule(static)
  for (int64_t block = 0; block < blocks_of(geometry.out_channels); ++block) {
    for_weights(geometry, plan, block,
                [&](int64_t weight, int64_t panel) { weight_gradient[weight] = panels[panel]; });
  }
}

template void pack_forward_panels(const ConvGeometry&, const TapPlan&, const float*, float*);
template void pack_forward_panels(const ConvGeometry&, const TapPlan&, const double*, double*);
template void pack_backward_panels(const ConvGeometry&, const float*, float*);
template void pack_backward_panels(const ConvGeometry&, const double*, double*);
template void unpack_panel_gradient(const ConvGeometry&, const TapPlan&, const float*, float*);
template void unpack_panel_gradient(const ConvGeometry&, const TapPlan&, const double*, double*);

namespace {

constexpr int64_t kBlock = kChannelBlock;
constexpr int64_t kTaps = kWinogradTaps * kWinogradTaps;

/// Weights of 16 x 16 pairs of channels: [tap][row][16].
template <class T>
using WeightBlock = T[kTaps][kBlock][kBlock];

/// The channels of a block pair that exist, without padding.
struct BlockSpan {
  int64_t first_in, ins;
  int64_t first_out, outs;

  BlockSpan(const ConvGeometry& geometry, int64_t out_block, int64_t in_block)
      : first_in(in_block * kBlock),
        ins(std::min(kBlock, geometry.in_channels - first_in)),
        first_out(out_block * kBlock),
        outs(std::min(kBlock, geometry.out_channels - first_out)) {}
};

/// Returns the weights of an output channel and a tap.
template <class T>
T* weights_of(const ConvGeometry& geometry, T* weights, int64_t out, int64_t tap) {
  return weights + (out * kTaps + tap) * geometry.in_channels;
}

template <class T>
void gather_forward(const ConvGeometry& geometry, const BlockSpan& span, const T* weights,
                    WeightBlock<T>& block) {
  for (int64_t o = 0; o < span.outs; ++o) {
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      const T* from = weights_of(geometry, weights, span.first_out + o, tap) + span.first_in;
      for (int64_t i = 0; i < span.ins; ++i) block[tap][i][o] = from[i];
    }
  }
}

template <class T>
void gather_backward(const ConvGeometry& geometry, const BlockSpan& span, const T* weights,
                     WeightBlock<T>& block) {
  for (int64_t o = 0; o < span.outs; ++o) {
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      const T* from = weights_of(geometry, weights, span.first_out + o, tap) + span.first_in;
      std::copy_n(from, span.ins, block[kTaps - 1 - tap][o]);
    }
  }
}

template <class T>
void scatter(const ConvGeometry& geometry, const BlockSpan& span, const WeightBlock<T>& block,
             T* weights) {
  for (int64_t o = 0; o < span.outs; ++o) {
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      T* to = weights_of(geometry, weights, span.first_out + o, tap) + span.first_in;
      for (int64_t i = 0; i < span.ins; ++i) to[i] = block[tap][i][o];
    }
  }
}

/// Transforms the weights of every pair of blocks; gather(unit, block) fills a block with weights.
template <class T, class Gather>
void transform_weights(const ConvGeometry& geometry, T* factors, const Gather& gather) {
  const int64_t units = blocks_of(geometry.in_channels) * blocks_of(geometry.out_channels);
#pragma omp for schedule(static)
  for (int64_t unit = 0; unit < units; ++unit) {
    alignas(64) WeightBlock<T> block = {};
    gather(unit, block);
    kernels<T>().winograd_weights(&block[0][0][0], kBlock, factors + unit * kBlock * kBlock,
                                  weight_factor_stride(geometry));
  }
}

}  // namespace

template <class T>
void transform_forward_weights(const ConvGeometry& geometry, const T* weights, T* factors) {
  const int64_t ins = blocks_of(geometry.in_channels);
  transform_weights(geometry, factors, [&](int64_t unit, WeightBlock<T>& block) {
    gather_forward(geometry, BlockSpan(geometry, unit / ins, unit % ins), weights, block);
  });
}

template <class T>
void transform_backward_weights(const ConvGeometry& geometry, const T* weights, T* factors) {
  const int64_t outs = blocks_of(geometry.out_channels);
  transform_weights(geometry, factors, [&](int64_t unit, WeightBlock<T>& block) {
    gather_backward(geometry, BlockSpan(geometry, unit % outs, unit / outs), weights, block);
  });
}

template <class T>
void transform_weight_gradient(const ConvGeometry& geometry, const T* factors, T* weight_gradient) {
  const int64_t ins = blocks_of(geometry.in_channels);
  const int64_t outs = blocks_of(geometry.out_channels);
#pragma omp for schedule(static)
  for (int64_t unit = 0; unit < ins * outs; ++unit) {
    alignas(64) WeightBlock<T> block;
    kernels<T>().winograd_weight_gradient(factors + unit * kBlock * kBlock,
                                          weight_factor_stride(geometry), kBlock, &block[0][0][0]);
    scatter(geometry, BlockSpan(geometry, unit / ins, unit % ins), block, weight_gradient);
  }
}

template void transform_forward_weights(const ConvGeometry&, const float*, float*);
template void transform_forward_weights(const ConvGeometry&, const double*, double*);
template void transform_backward_weights(const ConvGeometry&, const float*, float*);
template void transform_backward_weights(const ConvGeometry&, const double*, double*);
template void transform_weight_gradient(const ConvGeometry&, const float*, float*);
template void transform_weight_gradient(const ConvGeometry&, const double*, double*);

}  // namespace projnce::kernel
