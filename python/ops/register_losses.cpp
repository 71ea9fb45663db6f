// The losses as operators of torch: see loss_kernels.h. Their fake kernels and autograd formulas
// are registered in Python, on top of these.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/autograd.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>

#include "python/ops/loss_kernels.h"
#include "python/ops/losses.h"

namespace projnce::ops {

namespace {

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

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using torch::jit::Stack;

constexpr const char* kNoSecondDerivative =
    "projnce losses have no second derivative; call backward or torch.autograd.grad without "
    "create_graph=True";

/// Calls an operator below autograd; `stack` holds its arguments, then its results.
void call_operator(const std::string& name, Stack& stack) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::Dispatcher::singleton().findSchemaOrThrow(("projnce::" + name).c_str(), "").callBoxed(stack);
}

/// A copy of `gradient` that depends on `input` and refuses to be differentiated.
class DifferentiableOnce : public torch::autograd::Function<DifferentiableOnce> {
 public:
  static Tensor forward(AutogradContext* /*ctx*/, const Tensor& gradient, const Tensor& /*input*/) {
    return gradient.clone();
  }
  static variable_list backward(AutogradContext* /*ctx*/, const variable_list& /*grads*/) {
    TORCH_CHECK(false, kNoSecondDerivative);
  }
};

/// Places among the loss's tensors of the inputs with a bit in `mask`.
std::vector<int64_t> masked_inputs(const LossOperator& loss, int64_t mask) {
  std::vector<int64_t> places;
  int64_t bit = 0;
  for (size_t i = 0; i < loss.tensors.size(); ++i) {
    if (!loss.tensors[i].differentiable) continue;
    if (((mask >> bit++) & 1) != 0) places.push_back(static_cast<int64_t>(i));
  }
  return places;
}

/// The results of NAME_backward, or of NAME behind the loss, for the tensors at `places`.
variable_list gradients_of(const LossOperator& loss, const std::vector<int64_t>& places,
                           const c10::IValue* results) {
  variable_list gradients;
  int64_t next = 0;
  for (size_t i = 0; i < loss.tensors.size(); ++i) {
    if (!loss.tensors[i].differentiable) continue;
    const bool wanted =
        std::find(places.begin(), places.end(), static_cast<int64_t>(i)) != places.end();
    if (wanted) gradients.push_back(results[next].toTensor());
    ++next;
  }
  return gradients;
}

/// A call of NAME with `arguments`, which become its results.
struct EagerCall {
  const LossOperator& loss;
  std::vector<int64_t> inputs;  ///< places of the tensors whose gradient is needed
  Stack& arguments;
};

/// Saves the gradients that NAME returns. It returns none for Reduction::kNone: then its arguments
/// are saved, for NAME_backward.
class EagerLoss : public torch::autograd::Function<EagerLoss> {
 public:
  static Tensor forward(AutogradContext* ctx, at::TensorList inputs, const EagerCall& call) {
    ctx->set_materialize_grads(false);
    auto& stack = call.arguments;
    const auto reduction = static_cast<loss::Reduction>(stack[stack.size() - 2].toInt());
    auto saved = inputs.vec();
    if (reduction == loss::Reduction::kNone) {
      const auto scalars = stack.begin() + static_cast<int64_t>(call.loss.tensors.size());
      for (auto next = stack.begin(); next != scalars; ++next) {
        saved.push_back(next->isTensor() ? next->toTensor() : Tensor());
      }
      ctx->saved_data["scalars"] = c10::ivalue::Tuple::create(Stack(scalars, stack.end()));
    }
    call_operator(call.loss.name, stack);
    if (reduction != loss::Reduction::kNone) {
      const auto gradients = gradients_of(call.loss, call.inputs, stack.data() + 1);
      saved.insert(saved.end(), gradients.begin(), gradients.end());
    }
    ctx->save_for_backward(std::move(saved));
    ctx->saved_data["inputs"] = call.inputs;
    ctx->saved_data["loss"] = reinterpret_cast<int64_t>(&call.loss);  // one of loss_operators()
    return stack[0].toTensor();
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const auto count = ctx->saved_data["inputs"].toIntVector().size();
    variable_list result(count + 1);  // the EagerCall has no gradient
    if (!grads[0].defined()) return result;
    const auto gradients =
        ctx->saved_data.count("scalars") != 0
            ? evaluate_again(ctx, saved, grads[0])
            : scale_all({saved.begin() + static_cast<int64_t>(count), saved.end()}, grads[0]);
    for (size_t i = 0; i < count; ++i) {
      const bool again = torch::GradMode::is_enabled();  // create_graph=True
      result[i] = again ? DifferentiableOnce::apply(gradients[i], saved[i]) : gradients[i];
    }
    return result;
  }

 private:
  static variable_list scale_all(variable_list gradients, const Tensor& factor) {
    for (auto& gradient : gradients) gradient = gradient * factor.detach();
    return gradients;
  }

  static variable_list evaluate_again(AutogradContext* ctx, const variable_list& saved,
                                      const Tensor& grad_loss) {
    const auto inputs = ctx->saved_data["inputs"].toIntVector();
    const auto& loss = *reinterpret_cast<const LossOperator*>(ctx->saved_data["loss"].toInt());
    Stack stack = {grad_loss};
    for (size_t i = inputs.size(); i < saved.size(); ++i) {
      stack.push_back(saved[i].defined() ? c10::IValue(saved[i]) : c10::IValue());
    }
    for (const auto& scalar : ctx->saved_data["scalars"].toTupleRef().elements())
      stack.push_back(scalar);
    call_operator(loss.name + "_backward", stack);
    return gradients_of(loss, inputs, stack.data());
  }
};

void EagerLossKernel::operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet /*keys*/,
                                 Stack* stack) const {
  const auto count = handle.schema().arguments().size();
  Stack arguments(torch::jit::last(*stack, count).begin(), torch::jit::last(*stack, count).end());
  torch::jit::drop(*stack, count);
  const auto places = masked_inputs(loss_, arguments.back().toInt());
  variable_list inputs;
  for (const auto place : places)
    inputs.push_back(arguments[static_cast<size_t>(place)].toTensor());
  stack->emplace_back(
      EagerLoss::apply(at::TensorList(inputs), EagerCall{loss_, places, arguments}));
}

std::string name_in(const std::string& schema) {
  return schema.substr(0, schema.find('('));
}

torch::CppFunction kernel_of(const LossOperator& loss, LossKernel::Kind kind) {
  return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<LossKernel>(loss, kind));
}

void define(torch::Library& library) {
  library.def(torch::schema("part_names() -> str[]"));
  library.impl("part_names", torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd,
                                             [] { return part_names(); }));
  for (const auto& loss : loss_operators()) {
    for (const auto& [schema, kind] : schemas_of(loss)) {
      library.def(torch::schema(schema.c_str()), {at::Tag::pt2_compliant_tag});
      if (kind != LossKernel::Kind::kOptions) continue;
      // Without a tensor among its arguments it is called for every device and in every mode.
      library.impl(
          name_in(schema).c_str(),
          torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, kernel_of(loss, kind)));
    }
    library.def(torch::schema(eager_schema(loss).c_str()), {at::Tag::pt2_compliant_tag});
    library.impl((loss.name + "_eager").c_str(),
                 torch::dispatch(c10::DispatchKey::CompositeImplicitAutograd,
                                 torch::CppFunction::makeFromBoxedFunctor(
                                     std::make_unique<EagerLossKernel>(loss))));
  }
}

/// The losses choose their kernels by the device of the tensors.
void implement(torch::Library& library) {
  for (const auto& loss : loss_operators()) {
    for (const auto& [schema, kind] : schemas_of(loss)) {
      if (kind == LossKernel::Kind::kOptions) continue;
      library.impl(name_in(schema).c_str(), kernel_of(loss, kind));
    }
  }
}

}  // namespace

}  // namespace projnce::ops

TORCH_LIBRARY_FRAGMENT(projnce, library) {
  projnce::ops::define(library);
}
TORCH_LIBRARY_IMPL(projnce, CPU, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, CUDA, library) {
  projnce::ops::implement(library);
}
// Sparse tensors are refused with a sentence.
TORCH_LIBRARY_IMPL(projnce, SparseCPU, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, SparseCsrCPU, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, SparseCUDA, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, SparseCsrCUDA, library) {
  projnce::ops::implement(library);
}
