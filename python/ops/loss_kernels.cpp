#include "python/ops/loss_kernels.h"

#include <c10/core/InferenceMode.h>
#include <torch/torch.h>

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/loss/grouped_batch.h"
#include "python/ops/errors.h"

namespace projnce::ops {

namespace {

using torch::Tensor;
using torch::jit::Stack;

/// Undoes what the dispatcher and the caller's modes have set for this thread: autograd is on again
/// if `gradient` is true; autocast, inference mode and Python modes are off.
class PlainEagerScope {
 public:
  explicit PlainEagerScope(bool gradient) : gradient_(gradient) {}

 private:
  c10::InferenceMode no_inference_mode_{false};
  c10::impl::ForceDispatchKeyGuard default_keys_{c10::default_included_set,
                                                 c10::default_excluded_set};
  torch::AutoGradMode gradient_;
};

/// The tensors of a call, and the leaves among them that gradients are wanted for.
struct Inputs {
  LossCall call;
  std::vector<Tensor> leaves;        // of the inputs with a bit in the mask
  std::vector<Tensor> inputs;        // every differentiable input; undefined if not given
  std::vector<bool> wants_gradient;  // for each of `inputs`
};

void check_tensor(const TensorArgument& argument, const Tensor& tensor, const Tensor& first,
                  const TensorArgument& first_argument) {
  if (tensor.layout() != torch::kStrided) {
    fail(argument.name, " are ", tensor.layout(),
         ", expected a dense tensor; to_dense() makes one");
  }
  if (tensor.device() == first.device()) return;
  fail(first_argument.name, " are on ", first.device(), ", ", argument.name, " on ",
       tensor.device(), "; move them to one device");
}

/// The arguments that a schema lists for the loss, from `next` on.
Inputs read_inputs(const LossOperator& loss, const c10::IValue* next) {
  Inputs read;
  auto& call = read.call;
  for (size_t i = 0; i < loss.tensors.size(); ++i, ++next) {
    if (!next->isTensor()) continue;
    const auto& tensor = next->toTensor();
    check_tensor(loss.tensors[i], tensor, i == 0 ? tensor : call.tensors[0], loss.tensors[0]);
    call.tensors[i] = loss::at_least_float32(tensor.requires_grad() ? tensor.detach() : tensor);
  }
  if (loss.over_rows) {
    call.anchor_offset = next++->toInt();
    call.normalize = next++->toBool();
  }
  call.options = next;
  next += static_cast<std::ptrdiff_t>(loss.fields.size());
  call.reduction = static_cast<loss::Reduction>(next++->toInt());
  const auto mask = next->toInt();
  for (size_t i = 0; i < loss.tensors.size(); ++i) {
    if (!loss.tensors[i].differentiable) continue;
    auto& tensor = call.tensors[i];
    const bool wanted = tensor.defined() && ((mask >> read.inputs.size()) & 1) != 0;
    if (wanted) {
      tensor = tensor.detach().requires_grad_();
      read.leaves.push_back(tensor);
    }
    read.inputs.push_back(tensor);
    read.wants_gradient.push_back(wanted);
  }
  return read;
}

/// A gradient for each differentiable input; empty for those without a bit in the mask.
std::vector<Tensor> gradients(const Tensor& loss, const Inputs& inputs, const Tensor& grad_loss) {
  std::vector<Tensor> found(inputs.leaves.size());
  if (!inputs.leaves.empty() && loss.requires_grad()) {
    found = torch::autograd::grad({loss}, inputs.leaves, {grad_loss}, /*retain_graph=*/false,
                                  /*create_graph=*/false, /*allow_unused=*/true);
  }
  std::vector<Tensor> all;
  auto next = found.begin();
  for (size_t i = 0; i < inputs.inputs.size(); ++i) {
    const auto& input = inputs.inputs[i];
    if (!inputs.wants_gradient[i]) {
      all.push_back(torch::empty({0}, (input.defined() ? input : inputs.inputs[0]).options()));
      continue;
    }
    const auto& gradient = *next++;
    all.push_back(gradient.defined() ? gradient.contiguous()
                                     : torch::zeros(input.sizes(), input.options()));
  }
  return all;
}

/// The parts in the order of part_names, and which of them the loss has.
std::pair<Tensor, Tensor> parts_of(const loss::LossValue& value) {
  const auto& names = part_names();
  std::vector<Tensor> parts(names.size(), torch::zeros({}, value.loss.options()));
  const auto exists = torch::zeros({static_cast<int64_t>(names.size())}, torch::kBool);
  for (const auto& [name, part] : value.parts) {
    const auto found = std::find(names.begin(), names.end(), name);
    TORCH_CHECK(found != names.end(), "part ", name, " is missing in part_names()");
    const auto index = found - names.begin();
    parts[static_cast<size_t>(index)] = part.detach().to(value.loss.scalar_type());
    exists[index].fill_(true);
  }
  return {torch::stack(parts), exists.to(value.loss.device())};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// What NAME takes, as its schema lists it.
std::string arguments_of(const LossOperator& loss) {
  std::vector<std::string> arguments;
  for (const auto& tensor : loss.tensors) {
    arguments.push_back((tensor.optional ? "Tensor? " : "Tensor ") + tensor.name);
  }
  if (loss.over_rows) {
    arguments.emplace_back("SymInt anchor_offset");
    arguments.emplace_back("bool normalize");
  }
  for (const auto& field : loss.fields) arguments.push_back(field.type + " " + field.name);
  arguments.emplace_back("int reduction");
  arguments.emplace_back("int grad_mask");
  return joined(arguments);
}

Value value_of(const c10::IValue& value) {
  if (value.isBool()) return {value.toBool(), {}};
  if (value.isInt()) return {value.toInt(), {}};
  if (value.isDouble()) return {value.toDouble(), {}};
  return {value.toStringRef(), {}};
}

c10::IValue scalar_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  if (const auto* number = std::get_if<int64_t>(&value.data)) return *number;
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return std::get<std::string>(value.data);
}

}  // namespace

void LossKernel::evaluate(Stack& stack) const {
  const bool backward = kind_ == Kind::kBackward;
  const auto count = (backward ? 1 : 0) + loss_.tensors.size() + (loss_.over_rows ? 2 : 0) +
                     loss_.fields.size() + 2;
  const auto arguments = torch::jit::last(stack, count);
  std::vector<Tensor> results;
  {
    const PlainEagerScope scope(/*gradient=*/true);
    auto inputs = read_inputs(loss_, arguments.data() + (backward ? 1 : 0));
    if (kind_ != Kind::kBackward && inputs.call.reduction == loss::Reduction::kNone) {
      inputs.leaves.clear();  // the vector-Jacobian product is that of NAME_backward
      inputs.wants_gradient.assign(inputs.wants_gradient.size(), false);
    }
    const torch::AutoGradMode gradient(!inputs.leaves.empty());
    inputs.call.with_parts = kind_ == Kind::kParts;
    const auto value = loss_.evaluate(inputs.call);
    if (!backward) results.push_back(value.loss.contiguous().variable_data());
    for (auto& gradient_of_input :
         gradients(value.loss, inputs, backward ? arguments[0].toTensor() : Tensor())) {
      results.push_back(std::move(gradient_of_input));
    }
    if (kind_ == Kind::kParts) {
      const auto [parts, exists] = parts_of(value);
      results.push_back(parts);
      results.push_back(exists);
    }
  }
  torch::jit::drop(stack, count);
  for (auto& result : results) stack.emplace_back(std::move(result));
}

void LossKernel::prepare_options(Stack& stack) const {
  const auto options = loss_.options();
  const auto arguments = torch::jit::last(stack, options.size());
  Table table;
  for (size_t i = 0; i < options.size(); ++i) {
    if (arguments[i].isNone()) continue;
    table.values.emplace(options[i].name, value_of(arguments[i]));
  }
  const auto scalars = loss_.prepare(table);
  torch::jit::drop(stack, options.size());
  for (const auto& option : options) {
    const auto found = table.values.find(option.name);
    stack.push_back(found == table.values.end() ? c10::IValue() : scalar_of(found->second));
  }
  stack.insert(stack.end(), scalars.begin(), scalars.end());
}

void LossKernel::operator()(const c10::OperatorHandle& /*handle*/, c10::DispatchKeySet /*keys*/,
                            Stack* stack) const {
  with_python_errors([&] {
    if (kind_ == Kind::kOptions) {
      prepare_options(*stack);
    } else {
      evaluate(*stack);
    }
  });
}

std::string eager_schema(const LossOperator& loss) {
  return loss.name + "_eager(" + arguments_of(loss) + ") -> Tensor";
}

std::vector<std::pair<std::string, LossKernel::Kind>> schemas_of(const LossOperator& loss) {
  std::vector<std::string> gradients;
  for (const auto& tensor : loss.tensors) {
    if (tensor.differentiable) gradients.push_back("Tensor grad_" + tensor.name);
  }
  std::vector<std::string> options;
  std::vector<std::string> prepared;
  for (const auto& option : loss.options()) {
    const bool nullable = option.option.back() == '?';
    options.push_back(option.option + (nullable ? " " : "? ") + option.name + "=None");
    prepared.push_back(option.option);
  }
  for (const auto& field : loss.fields) prepared.push_back(field.type);

  using Kind = LossKernel::Kind;
  const auto given = arguments_of(loss);
  const auto found = joined(gradients);
  return {{loss.name + "(" + given + ") -> (Tensor loss, " + found + ")", Kind::kForward},
          {loss.name + "_backward(Tensor grad_loss, " + given + ") -> (" + found + ")",
           Kind::kBackward},
          {loss.name + "_parts(" + given + ") -> (Tensor loss, " + found +
               ", Tensor parts, Tensor exists)",
           Kind::kParts},
          {loss.name + "_options(" + joined(options) + ") -> (" + joined(prepared) + ")",
           Kind::kOptions}};
}

}  // namespace projnce::ops
