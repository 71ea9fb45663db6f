#include "projnce/checkpoint/module_state.h"

#include <unordered_map>

#include "projnce/core/error.h"
#include "projnce/core/names.h"

namespace projnce {

namespace {

/// Collects what does not fit and says it in one sentence.
class Mismatches {
 public:
  void missing(const std::string& name) { missing_.push_back(name); }
  void unexpected(const std::string& name) { unexpected_.push_back(name); }

  void compare(const std::string& name, const torch::Tensor& found, const torch::Tensor& expected) {
    if (found.sizes() != expected.sizes()) {
      shape_.push_back(concat(name, " ", found.sizes(), " instead of ", expected.sizes()));
    } else if (found.scalar_type() != expected.scalar_type()) {
      type_.push_back(
          concat(name, " ", found.scalar_type(), " instead of ", expected.scalar_type()));
    }
  }

  void throw_if_any(const std::string& origin) const {
    const std::vector<std::string> parts = {list("missing", missing_),
                                            list("unexpected", unexpected_),
                                            list("wrong shape", shape_), list("wrong type", type_)};
    std::vector<std::string> found;
    for (const auto& part : parts) {
      if (!part.empty()) found.push_back(part);
    }
    if (!found.empty()) fail(origin, " does not fit the model: ", join(found, "; "));
  }

 private:
  static std::string list(const std::string& kind, const std::vector<std::string>& names) {
    constexpr size_t kShown = 8;  // another architecture differs in hundreds
    if (names.empty()) return {};
    const auto shown = std::min(kShown, names.size());
    const std::vector<std::string> first(names.begin(), names.begin() + static_cast<long>(shown));
    const auto rest = names.size() - shown;
    return concat(kind, " ", join(first), rest > 0 ? concat(" and ", rest, " more") : "");
  }

  std::vector<std::string> missing_;
  std::vector<std::string> unexpected_;
  std::vector<std::string> shape_;
  std::vector<std::string> type_;
};

}  // namespace

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
    mismatches.compare(name, found.mapped(), tensor);
    copies.emplace_back(found.mapped(), tensor);
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (stored.count(name) > 0) mismatches.unexpected(name);
  }
  mismatches.throw_if_any(file.origin);

  const torch::NoGradGuard no_grad;
  for (auto& [from, to] : copies) to.copy_(from);
}

}  // namespace projnce
