#include "projnce/kernel/conv/convolution.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "projnce/kernel/conv/algorithms.h"

#if defined(__linux__)
#endif

namespace projnce::kernel {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kLargePage = size_t{2} << 20;

size_t round_up_to(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

PageBuffer::PageBuffer(int64_t bytes) : bytes_(bytes) {
  const auto wanted = static_cast<size_t>(bytes);
  const size_t alignment = wanted < kLargePage ? kLine : kLargePage;
  data_.reset(std::aligned_alloc(alignment, round_up_to(wanted, alignment)));
  if (!data_ && wanted > 0) throw std::bad_alloc();
#if defined(__linux__)
  // Only a hint: regular pages work as well.
  if (alignment == kLargePage) madvise(data_.get(), round_up_to(wanted, kLargePage), MADV_HUGEPAGE);
#endif
}

void PageBuffer::Free::operator()(void* memory) const {
  std::free(memory);
}

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
