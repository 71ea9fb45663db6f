#pragma once

namespace projnce {

/// Makes glibc's malloc keep freed memory instead of returning it to the kernel. Every training
/// step allocates and frees the same large blocks; without this, each step pays one page fault per
/// 4 KiB again. Affects the whole process, so call it from programs, not from libraries. A no-op if
/// the C library is not glibc.
void disable_malloc_trim();

}  // namespace projnce
