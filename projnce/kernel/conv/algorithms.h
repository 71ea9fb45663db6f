#pragma once

#include "projnce/kernel/conv/convolution.h"

namespace projnce::kernel {

/// Convolutions of any kernel and stride as products of gathered rows: pixels lie side by side in a
/// padded copy of a few images, and a row of the product is wherever a place of the kernel falls.
/// Same bits for any number of threads.
template <class T>
void direct_forward(const ConvForward<T>& conv, Workspace& workspace);

/// Gradients by weights and, where wanted, by the input; none by images.
template <class T>
void direct_backward(const ConvBackward<T>& conv, Workspace& workspace);

/// 3x3 convolutions of stride 1 by Winograd's F(4x4, 3x3): a quarter of the multiplications.
/// A few images at a time go through three steps: tiles to factors, 36 matrix
/// products, sums of products back to maps. Same bits for any number of threads.
template <class T>
void winograd_forward(const ConvForward<T>& conv, Workspace& workspace);

/// Gradients by weights and by the input, which must be wanted.
template <class T>
void winograd_backward(const ConvBackward<T>& conv, Workspace& workspace);

}  // namespace projnce::kernel
