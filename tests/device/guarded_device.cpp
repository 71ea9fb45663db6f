#include "tests/device/guarded_device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#include <torch/types.h>

#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/device/guarded_memory.h"

namespace projnce::testing {

namespace {

using torch::Tensor;

std::atomic<int64_t> synchronizations = 0;

/// Operators whose result or output shape the host reads from the device.
const std::set<std::string>& synchronizing_operators() {
  static const std::set<std::string> names = {
      "aten::_local_scalar_dense", "aten::_unique2",          "aten::bincount",   "aten::equal",
      "aten::masked_select",       "aten::nonzero",           "aten::unique_dim", "aten::_unique",
      "aten::unique_consecutive",  "aten::linalg_cholesky_ex"};
  return names;
}

Tensor empty(torch::IntArrayRef size, std::optional<torch::ScalarType> type,
             std::optional<torch::Layout> /*layout*/, std::optional<torch::Device> /*device*/,
             std::optional<bool> /*pinned*/, std::optional<torch::MemoryFormat> format) {
  return Tensor(at::detail::empty_generic(size, &guarded_allocator(),
                                          c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                          c10::dtype_or_default(type), format));
}

Tensor empty_strided(torch::IntArrayRef size, torch::IntArrayRef stride,
                     std::optional<torch::ScalarType> type, std::optional<torch::Layout> /*layout*/,
                     std::optional<torch::Device> /*device*/, std::optional<bool> /*pinned*/) {
  return Tensor(at::detail::empty_strided_generic(
      size, stride, &guarded_allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(type)));
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool /*non_blocking*/) {
  if (!from.is_cpu() && to.is_cpu()) ++synchronizations;
  Access access;
  access.on_host(to).copy_(access.on_host(from));
  return to;
}

Tensor copy_to_device(const Tensor& host) {
  if (!host.defined()) return host;
  auto copy = empty_strided(host.sizes(), host.strides(), host.scalar_type(), {}, {}, {});
  Access access;
  access.on_host(copy).copy_(host);
  return copy;
}

/// Tensors of one call and their aliases on the host.
class HostCall {
 public:
  explicit HostCall(const c10::FunctionSchema& schema) : schema_(schema) {}

  /// `resized`: the operator writes to the argument, which may be empty and get another shape.
  Tensor to_host(const Tensor& tensor, bool resized = false) {
    if (!tensor.defined()) return tensor;
    TORCH_CHECK(!tensor.is_cpu() || tensor.dim() == 0, schema_.name(),
                ": expected all tensors on one device, found one of shape ", tensor.sizes(),
                " on the CPU");
    if (tensor.is_cpu()) return tensor;
    const bool empty = resized && tensor.numel() == 0;
    auto host =
        empty ? torch::empty(tensor.sizes(), tensor.scalar_type()) : access_.on_host(tensor);
    tensors_.emplace_back(tensor, host);
    return host;
  }

  c10::IValue to_host(const c10::IValue& value, bool written) {
    if (value.isTensor()) return to_host(value.toTensor(), written);
    if (value.isDevice()) return c10::IValue(c10::Device(torch::kCPU));
    if (value.isTensorList()) {
      c10::List<Tensor> hosts;
      for (const Tensor& tensor : value.toTensorVector()) hosts.push_back(to_host(tensor));
      return hosts;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<Tensor>> hosts;
      for (const std::optional<Tensor>& tensor : value.toOptionalTensorVector()) {
        hosts.push_back(tensor ? std::optional<Tensor>(to_host(*tensor)) : std::nullopt);
      }
      return hosts;
    }
    return value;
  }

  /// The argument itself, a view of it, or a copy of a new tensor.
  Tensor to_device(const Tensor& host) {
    if (!host.defined()) return host;
    for (const auto& [tensor, alias] : tensors_) {
      if (alias.is_same(host)) return with_new_shape(tensor, host);
      if (alias.storage().data() == host.storage().data()) {
        return at::native::as_strided_tensorimpl(tensor, host.sizes(), host.strides(),
                                                 host.storage_offset());
      }
    }
    return copy_to_device(host);
  }

  c10::IValue to_device(const c10::IValue& value) {
    if (value.isTensor()) return to_device(value.toTensor());
    if (!value.isTensorList()) return value;
    c10::List<Tensor> tensors;
    for (const Tensor& host : value.toTensorVector()) tensors.push_back(to_device(host));
    return tensors;
  }

 private:
  /// Gives an empty argument the shape and values that it got on the host.
  static Tensor with_new_shape(const Tensor& tensor, const Tensor& host) {
    if (tensor.numel() == host.numel()) return tensor;
    tensor.unsafeGetTensorImpl()->shallow_copy_from(copy_to_device(host).getIntrusivePtr());
    return tensor;
  }

  const c10::FunctionSchema& schema_;
  Access access_;
  std::vector<std::pair<Tensor, Tensor>> tensors_;  // on the device, on the host
};

/// Runs any operator on the CPU, on the memory of the device.
void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  if (synchronizing_operators().contains(schema.name())) ++synchronizations;
  HostCall call(schema);
  const auto arguments = schema.arguments().size();
  const auto first = stack->size() - arguments;
  for (size_t i = 0; i < arguments; ++i) {
    const auto* alias = schema.arguments()[i].alias_info();
    (*stack)[first + i] = call.to_host((*stack)[first + i], alias != nullptr && alias->isWrite());
  }
  op.callBoxed(stack);
  const auto results = schema.returns().size();
  for (size_t i = stack->size() - results; i < stack->size(); ++i) {
    (*stack)[i] = call.to_device((*stack)[i]);
  }
}

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   torch::IntArrayRef stride, torch::IntArrayRef padding,
                   torch::IntArrayRef dilation, bool transposed, torch::IntArrayRef output_padding,
                   int64_t groups) {
  Access access;
  const auto host_bias = bias ? access.on_host(*bias) : Tensor();
  return copy_to_device(at::convolution(access.on_host(input), access.on_host(weight), host_bias,
                                        stride, padding, dilation, transposed, output_padding,
                                        groups));
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, torch::IntArrayRef stride,
    torch::IntArrayRef padding, torch::IntArrayRef dilation, bool transposed,
    torch::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  Access access;
  const std::vector<int64_t> bias_size = {gradient.size(1)};
  const auto [by_input, by_weight, by_bias] = at::convolution_backward(
      access.on_host(gradient), access.on_host(input), access.on_host(weight), bias_size, stride,
      padding, dilation, transposed, output_padding, groups, mask);
  return {copy_to_device(by_input), copy_to_device(by_weight), copy_to_device(by_bias)};
}

/// Lets Module::to replace the memory of a parameter by that of another device.
bool always_compatible(const Tensor& /*self*/, const Tensor& /*from*/) {
  return true;
}

struct GuardedDeviceGuard : c10::impl::NoOpDeviceGuardImpl<kGuardedType> {
  c10::Device getDevice() const override { return {kGuardedType, 0}; }
  c10::Device exchangeDevice(c10::Device /*device*/) const override { return {kGuardedType, 0}; }
  c10::Stream getStream(c10::Device /*device*/) const noexcept override { return stream(); }
  c10::Stream getDefaultStream(c10::Device /*device*/) const override { return stream(); }
  c10::Stream exchangeStream(c10::Stream /*stream*/) const noexcept override { return stream(); }
  // One stream, whose operations are complete when they return: events are always reached.
  void record(void** /*event*/, const c10::Stream& /*stream*/, const c10::DeviceIndex /*index*/,
              const c10::EventFlag /*flag*/) const override {}
  void block(void* /*event*/, const c10::Stream& /*stream*/) const override {}
  bool queryEvent(void* /*event*/) const override { return true; }
  void destroyEvent(void* /*event*/, const c10::DeviceIndex /*index*/) const noexcept override {}

 private:
  static c10::Stream stream() {
    return c10::Stream(c10::Stream::DEFAULT, c10::Device(kGuardedType, 0));
  }
};

struct GuardedHooks : at::PrivateUse1HooksInterface {
  bool hasPrimaryContext(c10::DeviceIndex /*index*/) const override { return true; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex /*index*/) const override {
    static const auto generator = at::make_generator<at::CPUGeneratorImpl>();
    return generator;
  }
};

GuardedHooks hooks;

[[maybe_unused]] const bool registered = [] {
  c10::register_privateuse1_backend("guarded");
  c10::SetAllocator(kGuardedType, &guarded_allocator());
  at::RegisterPrivateUse1HooksInterface(&hooks);
  return true;
}();

}  // namespace

int64_t guarded_synchronizations() {
  return synchronizations;
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", TORCH_FN(empty));
  library.impl("empty_strided", TORCH_FN(empty_strided));
  library.impl("_copy_from", TORCH_FN(copy_from));
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  library.impl("unfold", TORCH_FN(at::native::unfold));
  library.impl("convolution_overrideable", TORCH_FN(convolution));
  library.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
  library.impl("_has_compatible_shallow_copy_type", TORCH_FN(always_compatible));
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFallthrough());
}

// Half precision for the operators of encoders.
TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  KERNEL_PRIVATEUSEONE(addmm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(conv2d, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(matmul, lower_precision_fp)
}

}  // namespace projnce::testing

namespace c10::impl {
C10_REGISTER_GUARD_IMPL(PrivateUse1, projnce::testing::GuardedDeviceGuard)
}  // namespace c10::impl
