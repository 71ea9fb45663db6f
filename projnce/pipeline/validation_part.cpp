#include "projnce/pipeline/validation_part.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/subset.h"

namespace projnce {

namespace {

/// A sample in the order in which its class gives samples away.
struct DrawnSample {
  uint64_t hash;
  std::string name;
  int64_t index;

  bool operator<(const DrawnSample& other) const {
    return std::tie(hash, name, index) < std::tie(other.hash, other.name, other.index);
  }
};

std::vector<int64_t> all_but(int64_t count, const std::vector<int64_t>& taken) {
  std::vector<int64_t> rest;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::binary_search(taken.begin(), taken.end(), i)) rest.push_back(i);
  }
  return rest;
}

/// Keeps these samples of the training part, with the labels that they had before noise.
void keep_training_samples(OpenedDataset& opened, const std::vector<int64_t>& kept) {
  if (!opened.clean_train_labels.empty()) {
    std::vector<int64_t> clean;
    for (const int64_t i : kept) {
      clean.push_back(opened.clean_train_labels[static_cast<size_t>(i)]);
    }
    opened.clean_train_labels = std::move(clean);
  }
  opened.train = std::make_shared<SubsetDataset>(opened.train, kept);
}

/// The training samples that are none of these.
std::vector<int64_t> others_by_name(const Dataset& train, const Dataset& taken) {
  std::unordered_set<std::string> names;
  for (int64_t i = 0; i < taken.size(); ++i) names.insert(taken.sample_name(i));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < train.size(); ++i) {
    if (!names.contains(train.sample_name(i))) kept.push_back(i);
  }
  return kept;
}

}  // namespace

std::vector<int64_t> draw_validation(const Dataset& samples, double fraction) {
  std::vector<std::vector<DrawnSample>> classes(samples.class_names().size());
  for (int64_t i = 0; i < samples.size(); ++i) {
    auto name = samples.sample_name(i);
    const uint64_t hash = XXH3_64bits(name.data(), name.size());
    classes.at(static_cast<size_t>(samples.label(i))).push_back({hash, std::move(name), i});
  }
  std::vector<int64_t> drawn;
  for (auto& members : classes) {
    if (members.size() < 2) continue;
    std::sort(members.begin(), members.end());
    const auto size = static_cast<int64_t>(members.size());
    const int64_t wanted = std::llround(fraction * static_cast<double>(size));
    const int64_t count = std::clamp<int64_t>(wanted, 1, size - 1);
    for (int64_t i = 0; i < count; ++i) drawn.push_back(members[static_cast<size_t>(i)].index);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

DatasetPtr hold_out_validation(OpenedDataset& opened, double fraction) {
  const auto labeled = opened.known ? opened.known : opened.train;
  const auto drawn = draw_validation(*labeled, fraction);
  if (drawn.empty()) {
    fail(Hint{"set train.validation = 0, or add samples"}, "[train] validation = ", fraction,
         " has nothing to take: no class has two training samples");
  }
  auto validation = std::make_shared<SubsetDataset>(labeled, drawn);
  const auto kept = all_but(labeled->size(), drawn);
  if (!opened.known) {
    keep_training_samples(opened, kept);
    return validation;
  }
  opened.known = std::make_shared<SubsetDataset>(labeled, kept);
  // Coarse labels are of the same samples; those without labels are others.
  if (!opened.unlabelled) {
    keep_training_samples(opened, others_by_name(*opened.train, *validation));
  }
  return validation;
}

}  // namespace projnce
