#include "projnce/checkpoint/initial_weights.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "projnce/checkpoint/module_state.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/io/printable.h"

namespace projnce::checkpoint {

namespace {

using TensorCopies = std::vector<std::pair<torch::Tensor, torch::Tensor>>;  // from, to

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

/// For each text in front of one of `wanted`, how many of them it stands in front of. It is empty
/// or ends with a dot: a part of a name is not taken for a name.
std::map<std::string, size_t> count_prefixes(const NamedTensors& stored,
                                             const std::vector<std::string>& wanted) {
  const std::unordered_set<std::string_view> known(wanted.begin(), wanted.end());
  size_t longest = 0;
  for (const auto& name : wanted) longest = std::max(longest, name.size());
  std::map<std::string, size_t> counts;
  for (const auto& [name, tensor] : stored) {
    // Names come from anybody and may be endless: no more of them is looked at than can fit.
    for (size_t begin = name.size() - std::min(name.size(), longest); begin < name.size();
         ++begin) {
      const bool at_a_dot = begin == 0 || name[begin - 1] == '.';
      if (at_a_dot && known.contains(std::string_view(name).substr(begin))) {
        ++counts[name.substr(0, begin)];
      }
    }
  }
  return counts;
}

/// The prefix of most names; of several, the shortest.
std::string find_prefix(const TensorFile& file, const NamedTensors& encoder) {
  if (encoder.empty()) return {};  // vectors that only a head is trained on
  const auto wanted = names_of(encoder);
  const auto counts = count_prefixes(file.tensors, wanted);
  if (counts.empty()) {
    fail(Hint{"the weights must be those of the encoder that encoder.name says"}, file.origin,
         " has none of the encoder's tensors: it has ",
         file.tensors.empty() ? "none at all" : first_names(names_of(file.tensors)), "; expected ",
         first_names(wanted));
  }
  using Row = std::pair<const std::string, size_t>;
  const auto worse = [](const Row& a, const Row& b) {
    return a.second != b.second ? a.second < b.second : a.first.size() > b.first.size();
  };
  const auto best = std::max_element(counts.begin(), counts.end(), worse);
  for (const auto& row : counts) {
    const bool rivals = &row != &*best && !worse(row, *best);
    if (!rivals || 2 * row.second < wanted.size()) continue;  // less than half is no encoder
    fail(Hint{"write a file with the one that is wanted"}, file.origin, " has two encoders, '",
         io::printable_start(best->first), "' and '", io::printable_start(row.first),
         "', and nothing says which to take");
  }
  return best->first;
}

bool is_whole(const torch::Tensor& tensor) {
  return torch::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
}

bool converts(const torch::Tensor& found, const torch::Tensor& expected) {
  return expected.is_floating_point() ? found.is_floating_point()
                                      : is_whole(found) && is_whole(expected);
}

/// What to set so that a first convolution of this shape fits, as far as it tells; empty where
/// nothing is known.
std::string setting_for(const torch::Tensor& found, const torch::Tensor& expected) {
  if (found.dim() != 4 || expected.dim() != 4) return {};
  constexpr int64_t kResnet18 = 64;  // channels behind its first convolution
  std::vector<std::string> settings;
  if (found.size(0) != expected.size(0)) {
    settings.push_back(found.size(0) == kResnet18 ? "--set encoder.name=resnet18"
                                                  : concat("--set encoder.width=", found.size(0)));
  }
  const bool is_large = found.size(2) == 7 && found.size(3) == 7;
  const bool is_small = found.size(2) == 3 && found.size(3) == 3;
  if (found.size(2) != expected.size(2) && (is_large || is_small)) {
    settings.push_back(concat("--set encoder.stem=", is_large ? "standard" : "small"));
  }
  if (found.size(1) != expected.size(1) && (found.size(1) == 1 || found.size(1) == 3)) {
    settings.push_back(concat("--set input.channels=", found.size(1)));
  }
  return settings.empty() ? std::string()
                          : concat("the weights may fit with ", join(settings, " "));
}

/// How stored tensors go with those that they are for.
struct Match {
  TensorCopies copies;
  Mismatches mismatches;
  std::string setting;  // that makes more of them fit; empty where none is known

  bool fits() const { return mismatches.text().empty(); }
};

/// Stored tensors by the names that they have behind a prefix.
class WeightsByName {
 public:
  WeightsByName(const TensorFile& file, const std::string& prefix) {
    for (const auto& [name, tensor] : file.tensors) {
      if (name.starts_with(prefix)) tensors_.emplace(name.substr(prefix.size()), tensor);
    }
  }

  Match match(const NamedTensors& targets) const {
    Match match;
    for (const auto& [name, target] : targets) {
      const auto found = tensors_.find(name);
      if (found == tensors_.end()) {
        if (!name.ends_with("num_batches_tracked")) match.mismatches.missing(name);
        continue;
      }
      compare(name, found->second, target, match);
      match.copies.emplace_back(found->second, target);
    }
    return match;
  }

 private:
  static void compare(const std::string& name, const torch::Tensor& stored,
                      const torch::Tensor& target, Match& match) {
    if (stored.sizes() != target.sizes()) {
      match.mismatches.wrong_shape(name, stored, target);
      if (match.setting.empty()) match.setting = setting_for(stored, target);
    } else if (!converts(stored, target)) {
      match.mismatches.wrong_type(name, stored, target);
    }
  }

  std::unordered_map<std::string, torch::Tensor> tensors_;
};

/// Adds what belongs to a part of the model that may as well start fresh; false where it does.
bool add_whole(const Match& part, TensorCopies& copies) {
  if (!part.fits()) return false;
  copies.insert(copies.end(), part.copies.begin(), part.copies.end());
  return true;
}

/// The tensors of the file that are nobody's.
std::vector<std::string> names_besides(const TensorFile& file, const TensorCopies& copies) {
  std::set<const void*> used;
  for (const auto& [from, to] : copies) used.insert(from.unsafeGetTensorImpl());
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors) {
    if (!used.contains(tensor.unsafeGetTensorImpl())) names.push_back(name);
  }
  return names;
}

/// A large float64 becomes infinite where it is converted.
void convert_all(TensorCopies& copies, const TensorFile& file) {
  for (auto& [from, to] : copies) {
    auto converted = from.to(to.scalar_type());
    if (!torch::isfinite(converted).all().item<bool>()) {
      const auto name = std::find_if(file.tensors.begin(), file.tensors.end(),
                                     [&](const auto& item) { return item.second.is_same(from); });
      fail(file.origin, " has numbers in ", io::printable_start(name->first),
           " that are not finite as ", to.scalar_type(), ", expected weights");
    }
    from = std::move(converted);
  }
}

std::string fate(const char* name, const NamedTensors& targets, bool taken) {
  if (targets.empty()) return {};
  return concat(", ", name, taken ? "" : " fresh");
}

}  // namespace

LoadedWeights load_initial_weights(const WeightTargets& targets, const TensorFile& file) {
  const WeightsByName weights(file, find_prefix(file, targets.encoder));
  auto encoder = weights.match(targets.encoder);
  if (!encoder.fits()) {
    fail(Hint{encoder.setting}, file.origin,
         " does not fit the encoder: ", encoder.mismatches.text());
  }
  auto& copies = encoder.copies;
  LoadedWeights taken{.encoder = copies.size()};
  taken.head = add_whole(weights.match(targets.head), copies);
  taken.loss = add_whole(weights.match(targets.loss), copies);
  taken.left_aside = names_besides(file, copies);
  convert_all(copies, file);

  const torch::NoGradGuard no_grad;
  for (auto& [from, to] : copies) to.copy_(from);
  return taken;
}

std::string describe(const LoadedWeights& taken, const WeightTargets& targets) {
  return concat(taken.encoder, " tensors of the encoder", fate("head", targets.head, taken.head),
                fate("loss", targets.loss, taken.loss),
                taken.left_aside.empty() ? "" : "; left aside: ", first_names(taken.left_aside));
}

}  // namespace projnce::checkpoint
