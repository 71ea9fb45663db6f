#pragma once

#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/loop_args.h"

namespace projnce::kernel {

/// How a kernel's weights are walked: `taps` runs of `depth` numbers that follow each other in the
/// input. Maps have a run for each place of the kernel, padded to whole blocks; images with few
/// channels one for each of its rows.
struct TapPlan {
  TapPlan(const ConvGeometry& geometry, bool images)
      : places(images ? geometry.kernel : 1),
        taps(geometry.kernel * geometry.kernel / places),
        channels(images ? geometry.in_channels : blocks_of(geometry.in_channels) * kChannelBlock),
        depth(places * channels) {}

  int64_t places;  // of the kernel, in a run
  int64_t taps;
  int64_t channels;  // numbers of a place
  int64_t depth;
};

// Each is called by all threads of a team; the work is shared and finished when they return.

/// [out blocks][taps][depth][16 out].
template <class T>
void share_forward_panels(const ConvGeometry& geometry, const TapPlan& plan, const T* weights,
                          T* panels);
/// [in blocks][places][padded out][16 in], for gradients by the input.
template <class T>
void share_backward_panels(const ConvGeometry& geometry, const T* weights, T* panels);
/// Sums in the layout of forward panels to gradients of weights.
template <class T>
void share_panel_gradient(const ConvGeometry& geometry, const TapPlan& plan, const T* panels,
                          T* weight_gradient);

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

}  // namespace projnce::kernel
