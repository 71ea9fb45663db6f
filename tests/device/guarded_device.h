#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce::testing {

/// A device of torch for tests, "guarded:0": it stands for a graphics card where there is
/// none. Linking guarded_device.cpp registers it.
///
/// Its memory is inaccessible (mapped PROT_NONE) except while an operator runs: code that reads a
/// tensor through its pointer crashes. Operators run on the CPU and refuse tensors of another
/// device, except scalars, as CUDA does. There is one device with index 0.

inline const torch::Device kGuardedDevice(torch::kPrivateUse1, 0);

/// Number of operations until now that would make the host wait for a graphics card: copies to the
/// CPU and operators whose result the host reads or whose output shape depends on values.
int64_t guarded_synchronizations();

/// Makes allocations fail with torch's out-of-memory error, as on a full device, during the
/// lifetime of this object.
class FullDevice {
 public:
  FullDevice();
  FullDevice(const FullDevice&) = delete;
  FullDevice& operator=(const FullDevice&) = delete;
  ~FullDevice();
};

}  // namespace projnce::testing
