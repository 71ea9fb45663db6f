#include "projnce/core/allocator.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>

#include <limits>
#endif

namespace projnce {

void disable_malloc_trim() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);  // mmapped blocks are returned to the kernel on free
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace projnce
