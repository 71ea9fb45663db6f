#pragma once

#include "projnce/kernel/conv/convolution.h"

namespace projnce::kernel {

/// Convolution with any kernel size and stride as products of gathered rows: a few images are
/// copied with padding, and each row of a product starts at the pixel where the kernel is applied.
/// Bit-identical for any number of threads.
template <class T>
void direct_forward(const ConvForward<T>& conv, Workspace& workspace);

/// Gradients of the weights and, if `in_gradient` is set, of the input. Images have no gradient.
template <class T>
void direct_backward(const ConvBackward<T>& conv, Workspace& workspace);

/// 3x3 convolution with stride 1 by Winograd's F(4x4, 3x3): a quarter of the multiplications. Each
/// chunk of images goes through three steps: transform the tiles, 36 matrix products, inverse
/// transform. Bit-identical for any number of threads.
template <class T>
void winograd_forward(const ConvForward<T>& conv, Workspace& workspace);

/// Gradients of the weights and of the input. REQUIRES: in_gradient is not null.
template <class T>
void winograd_backward(const ConvBackward<T>& conv, Workspace& workspace);

}  // namespace projnce::kernel
