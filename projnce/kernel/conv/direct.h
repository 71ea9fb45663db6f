#pragma once

#include "projnce/kernel/conv/convolution.h"

namespace projnce {

/// Convolutions of any kernel and stride as products of gathered rows: pixels lie side by side in a
/// padded copy of a few images, and a row of the product is wherever a place of the kernel falls.
/// Same bits for any number of threads.
template <class T>
void direct_forward(const ConvForward<T>& conv, Workspace& workspace);

/// Gradients by weights and, where wanted, by the input; none by pictures.
template <class T>
void direct_backward(const ConvBackward<T>& conv, Workspace& workspace);

}  // namespace projnce
