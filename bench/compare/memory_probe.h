#pragma once

#include <cstdint>

namespace projnce::bench {

/// Watches the heap of the whole process, all threads, while it lives: how far the bytes in use
/// rise above what they were at its start. Exact for malloc and its relatives, so for tensors and
/// C++ objects; blind to memory that is mapped directly, such as the buffers that BLAS sets up
/// once. One at a time.
class MemoryProbe {
 public:
  MemoryProbe();
  MemoryProbe(const MemoryProbe&) = delete;
  MemoryProbe& operator=(const MemoryProbe&) = delete;
  ~MemoryProbe();

  int64_t peak_bytes() const;
};

}  // namespace projnce::bench
