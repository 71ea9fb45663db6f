#include "projnce/checkpoint/module_state.h"

#include <unordered_map>

#include "projnce/checkpoint/mismatches.h"
#include "projnce/core/error.h"

namespace projnce {

/// A module may register a buffer or bias that it does not use; such a one is undefined.
NamedTensors named_state(const torch::nn::Module& module, const std::string& prefix) {
  NamedTensors state;
  for (const auto& dictionary : {module.named_parameters(), module.named_buffers()}) {
    for (const auto& item : dictionary) {
      if (item.value().defined()) state.emplace_back(prefix + item.key(), item.value().detach());
    }
  }
  return state;
}

void append(NamedTensors& tensors, const NamedTensors& more) {
  tensors.insert(tensors.end(), more.begin(), more.end());
}

void restore_tensors(const NamedTensors& targets, const TensorFile& file) {
  std::unordered_map<std::string, torch::Tensor> stored(file.tensors.begin(), file.tensors.end());
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies;  // from, to
  Mismatches mismatches;
  for (const auto& [name, tensor] : targets) {
    const auto found = stored.extract(name);
    if (found.empty()) {
      mismatches.missing(name);
      continue;
    }
    if (found.mapped().sizes() != tensor.sizes()) {
      mismatches.wrong_shape(name, found.mapped(), tensor);
    } else if (found.mapped().scalar_type() != tensor.scalar_type()) {
      mismatches.wrong_type(name, found.mapped(), tensor);
    }
    copies.emplace_back(found.mapped(), tensor);
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (stored.count(name) > 0) mismatches.unexpected(name);
  }
  const auto complaint = mismatches.text();
  if (!complaint.empty()) fail(file.origin, " does not fit the model: ", complaint);

  const torch::NoGradGuard no_grad;
  for (auto& [from, to] : copies) to.copy_(from);
}

}  // namespace projnce
