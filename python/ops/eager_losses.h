#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "python/ops/losses.h"

namespace projnce::ops {

/// NAME_eager(as NAME) -> loss: calls NAME and records its gradient for autograd, without the
/// detour through Python that torch.library.register_autograd takes in each call. For eager mode
/// alone: torch.compile and torch.export trace NAME, whose formula is registered in Python.
class EagerLossKernel : public c10::OperatorKernel {
 public:
  explicit EagerLossKernel(const LossOperator& loss) : loss_(loss) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys,
                  torch::jit::Stack* stack) const;

 private:
  const LossOperator& loss_;
};

}  // namespace projnce::ops
