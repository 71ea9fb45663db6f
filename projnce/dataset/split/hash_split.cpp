#include "projnce/dataset/split/hash_split.h"

#include <algorithm>
#include <unordered_map>

#include "projnce/core/seed.h"

namespace projnce::dataset {

namespace {

/// Samples with the same identity, which are in the same split.
struct Duplicates {
  SampleId id;
  double position = 0;
  bool test = false;
  bool fixed = false;   // kept in the training split
  bool shared = false;  // in more than one class
  int64_t label = 0;    // of the first sample

  bool operator<(const Duplicates& other) const {
    return position != other.position ? position < other.position : id < other.id;
  }
};

/// All samples as groups of duplicates, and the groups of each class.
struct GroupedSamples {
  std::vector<Duplicates> groups;
  std::vector<size_t> group_of;              // per sample
  std::vector<std::vector<size_t>> classes;  // distinct groups of each class
};

GroupedSamples group_samples(const std::vector<SampleId>& ids, const std::vector<int64_t>& labels,
                             const HashSplitOptions& options) {
  GroupedSamples all;
  std::unordered_map<SampleId, size_t, SampleIdHash> group_by_id;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto [entry, is_new] = group_by_id.emplace(ids[i], all.groups.size());
    const size_t group = entry->second;
    if (is_new) {
      const double position = split_position(ids[i], options.seed);
      const bool fixed = options.keep_in_train && options.keep_in_train->contains(ids[i]);
      all.groups.push_back({.id = ids[i],
                            .position = position,
                            .test = !fixed && position < options.test_fraction,
                            .fixed = fixed,
                            .label = labels[i]});
    }
    all.groups[group].shared |= labels[i] != all.groups[group].label;
    all.group_of.push_back(group);
    const auto label = static_cast<size_t>(labels[i]);
    if (label >= all.classes.size()) all.classes.resize(label + 1);
    all.classes[label].push_back(group);
  }
  for (auto& members : all.classes) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
  }
  return all;
}

void ensure_training_sample(const std::vector<size_t>& members, std::vector<Duplicates>& groups) {
  if (members.empty()) return;
  size_t last = members.front();
  for (const size_t group : members) {
    if (!groups[group].test) return;
    if (groups[last] < groups[group]) last = group;
  }
  groups[last].test = false;
}

void ensure_test_sample(const std::vector<size_t>& members, std::vector<Duplicates>& groups) {
  if (members.size() < 2) return;
  Duplicates* first = nullptr;
  for (const size_t group : members) {
    auto& candidate = groups[group];
    if (candidate.test) return;
    if (candidate.fixed || candidate.shared) continue;
    if (first == nullptr || candidate < *first) first = &candidate;
  }
  if (first != nullptr) first->test = true;
}

}  // namespace

double split_position(const SampleId& id, uint64_t seed) {
  return static_cast<double>(derive_seed(seed, id.high, id.low) >> 11) * 0x1.0p-53;
}

SplitIndices hash_split(const std::vector<SampleId>& ids, const std::vector<int64_t>& labels,
                        const HashSplitOptions& options) {
  auto all = group_samples(ids, labels, options);
  // Training samples first: moving a shared one may leave another class without a test sample.
  for (const auto& members : all.classes) ensure_training_sample(members, all.groups);
  for (const auto& members : all.classes) ensure_test_sample(members, all.groups);
  SplitIndices split;
  for (size_t i = 0; i < ids.size(); ++i) {
    auto& part = all.groups[all.group_of[i]].test ? split.test : split.train;
    part.push_back(static_cast<int64_t>(i));
  }
  return split;
}

}  // namespace projnce::dataset
