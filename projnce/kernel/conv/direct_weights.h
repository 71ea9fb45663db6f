#pragma once

#include "projnce/kernel/conv/convolution.h"

namespace projnce {

/// How a kernel's weights are walked: `taps` runs of `depth` numbers that follow each other in the
/// input. Maps have a run for each place of the kernel, padded to whole blocks; pictures with few
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

}  // namespace projnce
