#pragma once

namespace projnce {

/// Lets the C library keep freed memory for the next request instead of handing it back to the
/// system. Training takes and frees the same large blocks in each step; fetched anew, each of them
/// costs a page fault for every 4 KiB. For programs, not for libraries: it holds for the whole
/// process. Does nothing where the C library is not glibc.
void disable_malloc_trim();

}  // namespace projnce
