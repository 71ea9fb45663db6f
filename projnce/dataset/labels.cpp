#include "projnce/dataset/labels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/seed.h"

namespace projnce::dataset {

std::vector<int64_t> labels_of(const Dataset& dataset) {
  std::vector<int64_t> labels(static_cast<size_t>(dataset.size()));
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = dataset.label(static_cast<int64_t>(i));
  return labels;
}

std::vector<int64_t> class_counts(const Dataset& dataset) {
  std::vector<int64_t> counts(dataset.class_names().size());
  if (counts.empty()) return counts;  // without classes, every label is 0
  for (int64_t i = 0; i < dataset.size(); ++i) ++counts.at(static_cast<size_t>(dataset.label(i)));
  return counts;
}

void check_two_classes(const Dataset& train) {
  const auto counts = class_counts(train);
  const auto is_used = [](int64_t count) { return count > 0; };
  if (std::count_if(counts.begin(), counts.end(), is_used) > 1) return;
  const Hint hint{"training needs samples of at least two classes"};
  const auto only = std::find_if(counts.begin(), counts.end(), is_used);
  if (only == counts.end()) fail(hint, "the training split has no samples");
  fail(hint, "the training split has samples of only one class, '",
       train.class_names()[static_cast<size_t>(only - counts.begin())],
       "', expected at least two classes");
}

namespace {

/// Indices of each class in random order.
std::vector<std::vector<int64_t>> shuffled_classes(const std::vector<int64_t>& labels,
                                                   uint64_t seed) {
  std::vector<std::vector<int64_t>> classes;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<size_t>(labels[i]);
    if (label >= classes.size()) classes.resize(label + 1);
    classes[label].push_back(static_cast<int64_t>(i));
  }
  for (size_t c = 0; c < classes.size(); ++c) {
    Random random(
        derive_seed(seed, c));  // one per class: independent of the sizes of other classes
    random.shuffle(classes[c]);
  }
  return classes;
}

/// Draws `wanted(c, n)` samples of class c, which has n; at least one per nonempty class.
std::vector<int64_t> sample_each_class(const Dataset& dataset, uint64_t seed,
                                       const std::function<double(size_t, size_t)>& wanted) {
  std::vector<int64_t> indices;
  const auto classes = shuffled_classes(labels_of(dataset), seed);
  for (size_t c = 0; c < classes.size(); ++c) {
    const auto size = static_cast<int64_t>(classes[c].size());
    if (size == 0) continue;
    const auto count = std::clamp<int64_t>(std::llround(wanted(c, classes[c].size())), 1, size);
    indices.insert(indices.end(), classes[c].begin(), classes[c].begin() + count);
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace

std::vector<int64_t> stratified_subset(const Dataset& dataset, int64_t count, uint64_t seed) {
  // Sample k of a class of n has position k / n. Taking the lowest positions samples all classes
  // proportionally, the first of each class before the second of any.
  std::vector<std::pair<double, int64_t>> positions;
  for (const auto& samples : shuffled_classes(labels_of(dataset), seed)) {
    for (size_t k = 0; k < samples.size(); ++k) {
      positions.emplace_back(double(k) / double(samples.size()), samples[k]);
    }
  }
  std::sort(positions.begin(), positions.end());
  positions.resize(std::min(positions.size(), static_cast<size_t>(count)));

  std::vector<int64_t> indices;
  for (const auto& [position, index] : positions) indices.push_back(index);
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<int64_t> fraction_of_each_class(const Dataset& dataset, double fraction,
                                            uint64_t seed) {
  return sample_each_class(dataset, seed,
                           [&](size_t, size_t size) { return fraction * double(size); });
}

std::vector<int64_t> long_tailed_subset(const Dataset& dataset, double ratio, uint64_t seed) {
  const auto counts = class_counts(dataset);
  const auto largest = double(*std::max_element(counts.begin(), counts.end()));
  const double last = std::max(1.0, double(counts.size()) - 1);
  return sample_each_class(
      dataset, seed, [&](size_t c, size_t) { return largest * std::pow(ratio, double(c) / last); });
}

SplitIndices stratified_split(const std::vector<int64_t>& labels, double test_fraction,
                              uint64_t seed) {
  SplitIndices split;
  for (const auto& samples : shuffled_classes(labels, seed)) {
    const auto size = static_cast<int64_t>(samples.size());
    const int64_t wanted = std::llround(test_fraction * double(size));
    const int64_t test_count = size < 2 ? 0 : std::clamp<int64_t>(wanted, 1, size - 1);
    split.test.insert(split.test.end(), samples.begin(), samples.begin() + test_count);
    split.train.insert(split.train.end(), samples.begin() + test_count, samples.end());
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

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
