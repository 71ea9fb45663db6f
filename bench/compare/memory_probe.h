#pragma once

#include <cstdint>

namespace projnce::bench {

/// Measures the peak heap use of the process, all threads, relative to construction. Exact for
/// malloc and related functions, hence for tensors and C++ objects; does not see memory that is
/// mapped directly, such as internal buffers of BLAS. At most one instance may exist.
class MemoryProbe {
 public:
  MemoryProbe();
  MemoryProbe(const MemoryProbe&) = delete;
  MemoryProbe& operator=(const MemoryProbe&) = delete;
  ~MemoryProbe();

  int64_t peak_bytes() const;
};

}  // namespace projnce::bench
