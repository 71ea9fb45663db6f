#include "projnce/checkpoint/initial_weights.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "projnce/checkpoint/tensor_file.h"
#include "projnce/core/counted.h"
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

/// Counts, for each prefix of a stored name whose remainder is in `wanted`, the names it occurs in.
/// A prefix is empty or ends with a dot, so that a partial name does not match.
std::map<std::string, size_t> count_prefixes(const NamedTensors& stored,
                                             const std::vector<std::string>& wanted) {
  const std::unordered_set<std::string_view> known(wanted.begin(), wanted.end());
  size_t longest = 0;
  for (const auto& name : wanted) longest = std::max(longest, name.size());
  std::map<std::string, size_t> counts;
  for (const auto& [name, tensor] : stored) {
    // Names are untrusted and may be very long: only the last `longest` characters can match.
    for (size_t begin = name.size() - std::min(name.size(), longest); begin < name.size();
         ++begin) {
      const bool after_dot = begin == 0 || name[begin - 1] == '.';
      if (after_dot && known.contains(std::string_view(name).substr(begin))) {
        ++counts[name.substr(0, begin)];
      }
    }
  }
  return counts;
}

/// Returns the prefix that matches most names, and the shortest in case of a tie.
std::string find_prefix(const TensorFile& file, const NamedTensors& encoder) {
  if (encoder.empty()) return {};  // feature vectors: only a head is trained
  const auto wanted = names_of(encoder);
  const auto counts = count_prefixes(file.tensors, wanted);
  if (counts.empty()) {
    fail(Hint{"the weights must match the encoder given by encoder.name"}, file.origin,
         " has none of the encoder's tensors: found ",
         file.tensors.empty() ? "no tensors" : first_names(names_of(file.tensors)), "; expected ",
         first_names(wanted));
  }
  using Row = std::pair<const std::string, size_t>;
  const auto worse = [](const Row& a, const Row& b) {
    return a.second != b.second ? a.second < b.second : a.first.size() > b.first.size();
  };
  const auto best = std::max_element(counts.begin(), counts.end(), worse);
  for (const auto& row : counts) {
    const bool tied = &row != &*best && !worse(row, *best);
    if (!tied || 2 * row.second < wanted.size()) continue;  // fewer than half is not an encoder
    fail(Hint{"save a file with only one of them"}, file.origin, " has two encoders, '",
         io::printable_start(best->first), "' and '", io::printable_start(row.first),
         "', expected one");
  }
  return best->first;
}

bool is_integer(const torch::Tensor& tensor) {
  return torch::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
}

bool converts(const torch::Tensor& found, const torch::Tensor& expected) {
  return expected.is_floating_point() ? found.is_floating_point()
                                      : is_integer(found) && is_integer(expected);
}

/// Suggests settings with which a first convolution of this shape would fit; empty if unknown.
std::string suggest_settings(const torch::Tensor& found, const torch::Tensor& expected) {
  if (found.dim() != 4 || expected.dim() != 4) return {};
  constexpr int64_t kResnet18 = 64;  // output channels of its first convolution
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

/// Result of matching stored tensors with their targets.
struct Match {
  TensorCopies copies;
  Mismatches mismatches;
  std::string setting;  // suggested settings for a mismatch; empty if unknown

  bool fits() const { return mismatches.text().empty(); }
};

/// Stored tensors, indexed by name without the prefix.
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
      if (match.setting.empty()) match.setting = suggest_settings(stored, target);
    } else if (!converts(stored, target)) {
      match.mismatches.wrong_type(name, stored, target);
    }
  }

  std::unordered_map<std::string, torch::Tensor> tensors_;
};

/// Adds the copies of an optional part of the model if all of them fit; returns false otherwise.
bool add_if_complete(const Match& part, TensorCopies& copies) {
  if (!part.fits()) return false;
  copies.insert(copies.end(), part.copies.begin(), part.copies.end());
  return true;
}

/// Returns the names of the file's tensors that are not used.
std::vector<std::string> unused_names(const TensorFile& file, const TensorCopies& copies) {
  std::set<const void*> used;
  for (const auto& [from, to] : copies) used.insert(from.unsafeGetTensorImpl());
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors) {
    if (!used.contains(tensor.unsafeGetTensorImpl())) names.push_back(name);
  }
  return names;
}

/// Converts all tensors to their target types. Throws if a value is not finite afterwards; a large
/// float64 overflows in float32.
void convert_all(TensorCopies& copies, const TensorFile& file) {
  for (auto& [source, target] : copies) {
    auto converted = source.to(target.scalar_type());
    if (!torch::isfinite(converted).all().item<bool>()) {
      const auto name =
          std::find_if(file.tensors.begin(), file.tensors.end(),
                       [&from = source](const auto& item) { return item.second.is_same(from); });
      fail(file.origin, " has values in ", io::printable_start(name->first),
           " that are not finite as ", target.scalar_type(), ", expected finite weights");
    }
    source = std::move(converted);
  }
}

std::string describe_part(const char* name, const NamedTensors& targets, bool loaded) {
  if (targets.empty()) return {};
  return concat(", ", name, loaded ? "" : " not loaded");
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
  LoadedWeights loaded{.encoder = copies.size()};
  loaded.head = add_if_complete(weights.match(targets.head), copies);
  loaded.loss = add_if_complete(weights.match(targets.loss), copies);
  loaded.unused = unused_names(file, copies);
  convert_all(copies, file);

  const torch::NoGradGuard no_grad;
  for (auto& [from, to] : copies) to.copy_(from);
  return loaded;
}

std::string describe(const LoadedWeights& loaded, const WeightTargets& targets) {
  return concat(counted(loaded.encoder, "encoder tensor"),
                describe_part("head", targets.head, loaded.head),
                describe_part("loss", targets.loss, loaded.loss),
                loaded.unused.empty() ? "" : "; unused: ", first_names(loaded.unused));
}

}  // namespace projnce::checkpoint
