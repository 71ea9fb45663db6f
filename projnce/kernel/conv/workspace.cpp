#include "projnce/kernel/conv/workspace.h"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
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

}  // namespace projnce::kernel
