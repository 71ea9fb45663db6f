#include "projnce/kernel/conv/winograd_weights.h"

#include <algorithm>

#include "projnce/kernel/table.h"

namespace projnce {

namespace {

constexpr int64_t kBlock = kChannelBlock;
constexpr int64_t kTaps = kWinogradTaps * kWinogradTaps;

/// Weights of 16 x 16 pairs of channels: [tap][row][16].
template <class T>
using WeightBlock = T[kTaps][kBlock][kBlock];

/// The part of a block that really is there.
struct BlockSpan {
  int64_t first_in, ins;
  int64_t first_out, outs;

  BlockSpan(const ConvGeometry& geometry, int64_t out_block, int64_t in_block)
      : first_in(in_block * kBlock),
        ins(std::min(kBlock, geometry.in_channels - first_in)),
        first_out(out_block * kBlock),
        outs(std::min(kBlock, geometry.out_channels - first_out)) {}
};

/// Where the weights of an output channel and a tap begin.
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

/// Factors of every pair of blocks; gather(unit, block) fills a block with its weights.
template <class T, class Gather>
void share_factors(const ConvGeometry& geometry, T* factors, const Gather& gather) {
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
void share_forward_factors(const ConvGeometry& geometry, const T* weights, T* factors) {
  const int64_t ins = blocks_of(geometry.in_channels);
  share_factors(geometry, factors, [&](int64_t unit, WeightBlock<T>& block) {
    gather_forward(geometry, BlockSpan(geometry, unit / ins, unit % ins), weights, block);
  });
}

template <class T>
void share_backward_factors(const ConvGeometry& geometry, const T* weights, T* factors) {
  const int64_t outs = blocks_of(geometry.out_channels);
  share_factors(geometry, factors, [&](int64_t unit, WeightBlock<T>& block) {
    gather_backward(geometry, BlockSpan(geometry, unit % outs, unit / outs), weights, block);
  });
}

template <class T>
void share_weight_gradient(const ConvGeometry& geometry, const T* factors, T* weight_gradient) {
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

template void share_forward_factors(const ConvGeometry&, const float*, float*);
template void share_forward_factors(const ConvGeometry&, const double*, double*);
template void share_backward_factors(const ConvGeometry&, const float*, float*);
template void share_backward_factors(const ConvGeometry&, const double*, double*);
template void share_weight_gradient(const ConvGeometry&, const float*, float*);
template void share_weight_gradient(const ConvGeometry&, const double*, double*);

}  // namespace projnce
