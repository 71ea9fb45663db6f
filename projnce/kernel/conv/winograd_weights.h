#pragma once

#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/winograd_args.h"

namespace projnce {

/// Numbers between the factors of one kind and the next.
inline int64_t weight_factor_stride(const ConvGeometry& geometry) {
  return blocks_of(geometry.in_channels) * blocks_of(geometry.out_channels) * kChannelBlock *
             kChannelBlock +
         kChannelBlock;  // no power of two: 36 places of one cache set would push each other out
}
inline int64_t weight_factors_size(const ConvGeometry& geometry) {
  return kWinogradFactors * weight_factor_stride(geometry);
}

// Each is called by all threads of a team; the work is shared and finished when they return.

/// Factors for the forward pass: [36][out blocks][in][16 out].
template <class T>
void share_forward_factors(const ConvGeometry& geometry, const T* weights, T* factors);
/// For gradients by the input, weights turned around: [36][in blocks][out][16 in].
template <class T>
void share_backward_factors(const ConvGeometry& geometry, const T* weights, T* factors);
/// Sums of products, in the layout of forward factors, to gradients of weights.
template <class T>
void share_weight_gradient(const ConvGeometry& geometry, const T* factors, T* weight_gradient);

}  // namespace projnce
