// Kernels for tensors without values (torch's device "meta") of operators for which C++ has none:
// torch implements them in Python.

#include <torch/library.h>
#include <torch/types.h>

#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace projnce::testing {

namespace {

using torch::Tensor;

/// The meta arguments of a call, as zeros on the CPU.
class ZeroCall {
 public:
  c10::IValue to_host(const c10::IValue& value) {
    if (!value.isTensor() || !value.toTensor().is_meta()) return value;
    const auto& tensor = value.toTensor();
    const auto zeros =
        torch::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(torch::kCPU))
            .zero_();
    tensors_.emplace_back(tensor, zeros);
    return zeros;
  }

  c10::IValue to_meta(const c10::IValue& value) const {
    if (!value.isTensor() || !value.toTensor().defined()) return value;
    const auto& host = value.toTensor();
    auto meta =
        torch::empty_strided(host.sizes(), host.strides(), host.options().device(torch::kMeta));
    for (const auto& [tensor, zeros] : tensors_) {
      if (!zeros.is_same(host)) continue;
      if (tensor.sizes() != host.sizes()) {
        tensor.unsafeGetTensorImpl()->shallow_copy_from(meta.getIntrusivePtr());
      }
      return tensor;
    }
    return meta;
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> tensors_;
};

/// Finds the shape of the result with zeros on the CPU. For operators whose shapes do not depend on
/// values.
void shape_of_zeros(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  ZeroCall call;
  const auto arguments = op.schema().arguments().size();
  for (size_t i = stack->size() - arguments; i < stack->size(); ++i) {
    (*stack)[i] = call.to_host((*stack)[i]);
  }
  op.callBoxed(stack);
  const auto results = op.schema().returns().size();
  for (size_t i = stack->size() - results; i < stack->size(); ++i) {
    (*stack)[i] = call.to_meta((*stack)[i]);
  }
}

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& /*bias*/,
                   torch::IntArrayRef stride, torch::IntArrayRef padding,
                   torch::IntArrayRef dilation, bool /*transposed*/,
                   torch::IntArrayRef /*output_padding*/, int64_t /*groups*/) {
  const auto side = [&](int64_t i) {
    const auto d = static_cast<size_t>(i);
    const auto reach = dilation[d] * (weight.size(i + 2) - 1) + 1;
    return (input.size(i + 2) + 2 * padding[d] - reach) / stride[d] + 1;
  };
  return torch::empty({input.size(0), weight.size(0), side(0), side(1)}, input.options());
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight,
    torch::IntArrayRef /*stride*/, torch::IntArrayRef /*padding*/, torch::IntArrayRef /*dilation*/,
    bool /*transposed*/, torch::IntArrayRef /*output_padding*/, int64_t /*groups*/,
    std::array<bool, 3> /*mask*/) {
  return {torch::empty_like(input), torch::empty_like(weight),
          torch::empty({gradient.size(1)}, gradient.options())};
}

/// Module::to asks this operator before it replaces the memory of a parameter.
bool any_type_fits(const Tensor& /*self*/, const Tensor& /*from*/) {
  return true;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, Meta, library) {
  for (const auto* name :
       {"_cdist_backward", "_cdist_forward", "abs.out", "index_select", "logical_and.out",
        "logical_not.out", "logical_or.out", "native_batch_norm", "native_batch_norm_backward",
        "relu", "relu_", "where.self"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&shape_of_zeros>());
  }
  library.impl("convolution_overrideable", TORCH_FN(convolution));
  library.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
  library.impl("_has_compatible_shallow_copy_type", TORCH_FN(any_type_fits));
}

}  // namespace projnce::testing
