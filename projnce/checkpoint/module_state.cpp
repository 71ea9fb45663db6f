#include "projnce/checkpoint/module_state.h"

#include <unordered_map>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/printable.h"

namespace projnce::checkpoint {

std::string first_names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::vector<std::string> first;
  for (const auto& name : names) {
    if (first.size() < kShown) first.push_back(io::printable_start(name));
  }
  const auto rest = names.size() - first.size();
  return concat(join(first), rest > 0 ? concat(" and ", rest, " more") : "");
}

void Mismatches::wrong_shape(const std::string& name, const torch::Tensor& found,
                             const torch::Tensor& expected) {
  shape_.push_back(concat(name, " ", found.sizes(), " instead of ", expected.sizes()));
}

void Mismatches::wrong_type(const std::string& name, const torch::Tensor& found,
                            const torch::Tensor& expected) {
  type_.push_back(concat(name, " ", found.scalar_type(), " instead of ", expected.scalar_type()));
}

std::string Mismatches::text() const {
  const std::vector<std::pair<const char*, const std::vector<std::string>&>> kinds = {
      {"missing ", missing_},
      {"unexpected ", unexpected_},
      {"wrong shape ", shape_},
      {"wrong type ", type_}};
  std::vector<std::string> parts;
  for (const auto& [kind, names] : kinds) {
    if (!names.empty()) parts.push_back(kind + first_names(names));
  }
  return join(parts, "; ");
}

/// Skips undefined tensors: a module may register a buffer or bias that it does not use.
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
  const auto differences = mismatches.text();
  if (!differences.empty()) fail(file.origin, " does not fit the model: ", differences);

  const torch::NoGradGuard no_grad;
  for (auto& [from, to] : copies) to.copy_(from);
}

}  // namespace projnce::checkpoint
