#pragma once

#include <c10/core/Allocator.h>
#include <torch/types.h>

#include <vector>

namespace projnce::testing {

struct GuardedBlock;

/// Allocates pages that are inaccessible outside of an Access.
class GuardedAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override;
  void copy_data(void* to, const void* from, size_t bytes) const override;
};

GuardedAllocator& guarded_allocator();

/// Makes the memory of tensors accessible during its lifetime.
class Access {
 public:
  Access() = default;
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  ~Access();

  /// A CPU tensor with the memory of `tensor`, valid as long as this object; CPU tensors and
  /// undefined ones are returned as they are.
  torch::Tensor on_host(const torch::Tensor& tensor);

 private:
  std::vector<GuardedBlock*> blocks_;
  std::vector<torch::Tensor> kept_;
};

inline constexpr auto kGuardedType = torch::kPrivateUse1;

}  // namespace projnce::testing
