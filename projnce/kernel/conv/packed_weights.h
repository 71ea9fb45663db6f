#pragma once

#include "projnce/kernel/conv/convolution.h"
#include "projnce/kernel/conv/loop_args.h"

namespace projnce::kernel {

/// Splits a kernel into `taps` contiguous runs of `depth` input values. Feature maps have one run
/// per kernel position, padded to whole blocks; images with few channels one per kernel row.
struct TapPlan {
  TapPlan(const ConvGeometry& geometry, bool images)
      : places(images ? geometry.kernel : 1),
        taps(geometry.kernel * geometry.kernel / places),
        channels(images ? geometry.in_channels : blocks_of(geometry.in_channels) * kChannelBlock),
        depth(places * channels) {}

  int64_t places;  // kernel positions per run
  int64_t taps;
  int64_t channels;  // values per kernel position
  int64_t depth;
};

// Each function must be called by all threads of a parallel region; they divide the work and
// synchronize at the end.

/// [out blocks][taps][depth][16 out].
template <class T>
void pack_forward_panels(const ConvGeometry& geometry, const TapPlan& plan, const T* weights,
                         T* panels);
/// [in blocks][places][padded out][16 in], for the gradient of the input.
template <class T>
void pack_backward_panels(const ConvGeometry& geometry, const T* weights, T* panels);
/// Converts sums in the layout of forward panels to the gradient of the weights.
template <class T>
void unpack_panel_gradient(const ConvGeometry& geometry, const TapPlan& plan, const T* panels,
                           T* weight_gradient);

/// Stride between consecutive transform coefficients of the weights, in elements.
inline int64_t weight_factor_stride(const ConvGeometry& geometry) {
  return blocks_of(geometry.in_channels) * blocks_of(geometry.out_channels) * kChannelBlock *
             kChannelBlock +
         kChannelBlock;  // avoids a power of two, which would map all 36 to one cache set
}
inline int64_t weight_factors_size(const ConvGeometry& geometry) {
  return kWinogradFactors * weight_factor_stride(geometry);
}

// Each function must be called by all threads of a parallel region; they divide the work and
// synchronize at the end.

/// Transformed weights for the forward pass: [36][out blocks][in][16 out].
template <class T>
void transform_forward_weights(const ConvGeometry& geometry, const T* weights, T* factors);
/// Transformed weights for the gradient of the input, flipped: [36][in blocks][out][16 in].
template <class T>
void transform_backward_weights(const ConvGeometry& geometry, const T* weights, T* factors);
/// Transforms sums of products, in the layout of the forward weights, to the weight gradient.
template <class T>
void transform_weight_gradient(const ConvGeometry& geometry, const T* factors, T* weight_gradient);

}  // namespace projnce::kernel
