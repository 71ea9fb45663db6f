#pragma once

#include "projnce/kernel/conv/convolution.h"

namespace projnce {

/// 3x3 convolutions of stride 1 by Winograd's F(4x4, 3x3): a quarter of the multiplications.
/// A few images at a time go through three steps: tiles to factors, 36 matrix
/// products, sums of products back to maps. Same bits for any number of threads.
template <class T>
void winograd_forward(const ConvForward<T>& conv, Workspace& workspace);

/// Gradients by weights and by the input, which must be wanted.
template <class T>
void winograd_backward(const ConvBackward<T>& conv, Workspace& workspace);

}  // namespace projnce
