#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "python/ops/losses.h"

namespace projnce::ops {

/// The kernels of one loss, for any device. They compute the gradient themselves, so that the
/// operators are opaque to autograd, torch.compile and torch.export:
///
///   NAME(tensors..., scalars..., int reduction, int grad_mask) -> (loss, grad of each input)
///   NAME_backward(Tensor grad_loss, as above) -> (grad of each input)
///   NAME_parts(as above) -> (loss, grad of each input, parts [P], which of them exist [P])
///   NAME_options(options...) -> (completed options..., scalars...)
///   NAME_eager(as NAME) -> loss, see register_losses.cpp
///
/// "Input" means a differentiable one. Bit i of `grad_mask` asks for the gradient of input i; the
/// others, and all gradients of NAME with Reduction::kNone, are empty tensors. Gradients are
/// float32 for inputs of half precision: a scaled loss must not lose them to underflow.
class LossKernel : public c10::OperatorKernel {
 public:
  enum class Kind { kForward, kBackward, kParts, kOptions };

  LossKernel(const LossOperator& loss, Kind kind) : loss_(loss), kind_(kind) {}
  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys,
                  torch::jit::Stack* stack) const;

 private:
  void evaluate(torch::jit::Stack& stack) const;
  void prepare_options(torch::jit::Stack& stack) const;

  const LossOperator& loss_;
  Kind kind_;
};

/// The schemas of the first four operators.
std::vector<std::pair<std::string, LossKernel::Kind>> schemas_of(const LossOperator& loss);

/// The schema of NAME_eager.
std::string eager_schema(const LossOperator& loss);

}  // namespace projnce::ops
