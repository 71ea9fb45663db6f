#include "projnce/kernel/conv/convolution.h"

#include "projnce/kernel/conv/algorithms.h"

namespace projnce::kernel {

namespace {

template <class T>
bool suits_winograd(const ConvGeometry& geometry, const ConvInput<T>& input) {
  return geometry.kernel == 3 && geometry.stride == 1 && !input.images;
}

}  // namespace

template <class T>
void conv_forward(const ConvForward<T>& conv, Workspace& workspace) {
  if (suits_winograd(conv.geometry, conv.input)) return winograd_forward(conv, workspace);
  direct_forward(conv, workspace);
}

template <class T>
void conv_backward(const ConvBackward<T>& conv, Workspace& workspace) {
  if (conv.in_gradient && suits_winograd(conv.geometry, conv.input)) {
    return winograd_backward(conv, workspace);
  }
  direct_backward(conv, workspace);
}

template void conv_forward(const ConvForward<float>&, Workspace&);
template void conv_forward(const ConvForward<double>&, Workspace&);
template void conv_backward(const ConvBackward<float>&, Workspace&);
template void conv_backward(const ConvBackward<double>&, Workspace&);

}  // namespace projnce::kernel
