// The losses as operators of torch: projnce::NAME gives the loss, projnce::NAME_parts what it is
// made of as well, projnce::NAME_options checks options and fills in the defaults.
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "projnce/loss/contrast_rows.h"
#include "python/ops/errors.h"
#include "python/ops/losses.h"

namespace projnce::ops {

namespace {

using c10::OperatorHandle;
using torch::jit::Stack;

constexpr std::string_view kPartsSuffix = "_parts";
constexpr std::string_view kOptionsSuffix = "_options";

/// The loss that "projnce::supcon" and its like stand for, without a suffix of that kind.
const LossOperator& find_loss(const OperatorHandle& handle, std::string_view suffix = {}) {
  constexpr std::string_view kNamespace = "projnce::";
  std::string_view name = handle.schema().name();
  name.remove_prefix(kNamespace.size());
  name.remove_suffix(suffix.size());
  for (const auto& loss : loss_operators()) {
    if (loss.name == name) return loss;
  }
  TORCH_CHECK(false, "projnce has no loss ", std::string(name));
}

void call_loss(const OperatorHandle& handle, Stack* stack) {
  with_python_errors([&] {
    LossCall call(handle.schema(), *stack);
    call.check_tensors();
    stack->emplace_back(find_loss(handle).evaluate(call).loss);
  });
}

void call_parts(const OperatorHandle& handle, Stack* stack) {
  with_python_errors([&] {
    LossCall call(handle.schema(), *stack);
    call.check_tensors();
    call.with_parts = true;
    const auto value = find_loss(handle, kPartsSuffix).evaluate(call);
    c10::Dict<std::string, torch::Tensor> parts;
    for (const auto& [name, part] : value.parts) parts.insert(name, part);
    stack->emplace_back(value.loss);
    stack->emplace_back(parts);
  });
}

c10::IValue option_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  if (const auto* number = std::get_if<int64_t>(&value.data)) return *number;
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return std::get<std::string>(value.data);
}

void call_options(const OperatorHandle& handle, Stack* stack) {
  with_python_errors([&] {
    LossCall call(handle.schema(), *stack);
    find_loss(handle, kOptionsSuffix).read(call.options);
    c10::impl::GenericDict options(c10::StringType::get(), c10::AnyType::get());
    for (const auto& [name, value] : call.options.values) options.insert(name, option_of(value));
    stack->emplace_back(options);
  });
}

/// Losses need float32: under autocast they are computed as if there was none.
void call_without_autocast(const OperatorHandle& handle, Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  handle.callBoxed(stack);
}

/// For tensors without values: a number of the type that the loss would have.
void call_meta(const OperatorHandle& handle, Stack* stack) {
  with_python_errors([&] {
    LossCall call(handle.schema(), *stack);
    call.check_tensors();
    if (call.tensor("features").defined()) call.batch();  // what shapes and types tell
    const auto& values = call.tensors.at(handle.schema().arguments().front().name());
    stack->emplace_back(at_least_float32(values).sum());
  });
}

template <void (*kernel)(const OperatorHandle&, Stack*)>
torch::CppFunction boxed() {
  return torch::CppFunction::makeFromBoxedFunction<kernel>();
}

std::string joined(const std::string& tensors, const std::string& options) {
  return options.empty() ? tensors : tensors + ", " + options;
}

void define(torch::Library& library, const LossOperator& loss) {
  const auto arguments = joined(loss.tensors, loss.options);
  const auto schema = loss.name + "(" + arguments + ") -> Tensor";
  const auto parts = loss.name + "_parts(" + arguments + ") -> (Tensor, Dict(str, Tensor))";
  const auto options = loss.name + "_options(" + loss.options + ") -> Dict(str, Any)";
  library.def(torch::schema(schema.c_str()));
  library.def(torch::schema(parts.c_str()));
  library.def(torch::schema(options.c_str()));
  // Without a tensor among its arguments it is called for every device and in every mode.
  library.impl((loss.name + "_options").c_str(),
               torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, boxed<call_options>()));
}

/// The kernels choose by the tensors' device; LibTorch records the gradient as it goes along.
void implement(torch::Library& library) {
  for (const auto& loss : loss_operators()) {
    library.impl(loss.name.c_str(), boxed<call_loss>());
    library.impl((loss.name + "_parts").c_str(), boxed<call_parts>());
  }
}

void implement_meta(torch::Library& library) {
  for (const auto& loss : loss_operators()) {
    library.impl(loss.name.c_str(), boxed<call_meta>());
  }
}

void leave_autocast(torch::Library& library) {
  for (const auto& loss : loss_operators()) {
    library.impl(loss.name.c_str(), boxed<call_without_autocast>());
    library.impl((loss.name + "_parts").c_str(), boxed<call_without_autocast>());
  }
}

}  // namespace

}  // namespace projnce::ops

TORCH_LIBRARY_FRAGMENT(projnce, library) {
  for (const auto& loss : projnce::ops::loss_operators()) projnce::ops::define(library, loss);
}

// Both with and without gradients: the same code on any device.
TORCH_LIBRARY_IMPL(projnce, CompositeExplicitAutograd, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, Autograd, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, AutocastCPU, library) {
  projnce::ops::leave_autocast(library);
}
TORCH_LIBRARY_IMPL(projnce, Autocast, library) {
  projnce::ops::leave_autocast(library);
}
TORCH_LIBRARY_IMPL(projnce, Meta, library) {
  projnce::ops::implement_meta(library);
}
TORCH_LIBRARY_IMPL(projnce, AutogradMeta, library) {
  projnce::ops::implement_meta(library);
}
