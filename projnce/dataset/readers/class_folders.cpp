#include "projnce/dataset/readers/class_folders.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "projnce/io/file_magic.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

namespace {

constexpr size_t kMaxListedExtensions = 8;

/// Lowercase extension: ".heic" for "cat/IMG_1.HEIC"; "" if there is none.
std::string extension_of(const std::string& file) {
  const auto name = file.substr(file.find_last_of('/') + 1);
  const auto dot = name.find_last_of('.');
  if (dot == std::string::npos || dot == 0) return {};
  auto extension = name.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return extension;
}

std::string count_of_extension(int64_t count, const std::string& extension) {
  return extension.empty() ? concat(count, " without an extension")
                           : concat(count, " ", io::printable(extension));
}

/// Formats counts, most frequent first: "2 .txt, 1 .csv".
std::string list_counts(std::vector<std::pair<std::string, int64_t>> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(counts.size(), kMaxListedExtensions); ++i) {
    text += (i == 0 ? "" : ", ") + count_of_extension(counts[i].second, counts[i].first);
  }
  if (counts.size() > kMaxListedExtensions) {
    text += " and " + counted(counts.size() - kMaxListedExtensions, "more extension");
  }
  return text;
}

}  // namespace

void UnreadFiles::add(const std::string& file) {
  auto& kind = kinds_[extension_of(file)];
  auto name = io::printable(file);
  if (kind.count == 0 || name < kind.first) kind.first = std::move(name);
  ++kind.count;
}

std::string UnreadFiles::advice() const {
  std::string advice;
  int64_t most = 0;
  for (const auto& [extension, kind] : kinds_) {
    const auto found = io::conversion_advice(extension);
    if (found.empty() || kind.count <= most) continue;
    most = kind.count;
    advice = found;
  }
  return advice;
}

std::string UnreadFiles::describe() const {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const auto& [extension, kind] : kinds_) counts.emplace_back(extension, kind.count);
  return list_counts(std::move(counts));
}

void UnreadFiles::report(DatasetSplit& split) const {
  std::vector<std::pair<std::string, int64_t>> others;
  for (const auto& [extension, kind] : kinds_) {
    split.unread_files[extension.empty() ? "" : io::printable(extension)] += kind.count;
    const auto advice = io::conversion_advice(extension);
    if (advice.empty()) {
      others.emplace_back(extension, kind.count);
      continue;
    }
    split.warnings.push_back(
        concat(counted(kind.count, extension + " file is", extension + " files are"),
               " not supported, such as ", kind.first, ": ", advice));
  }
  if (others.empty()) return;
  split.remarks.push_back(
      concat("skipped files that are neither images nor sounds: ", list_counts(others)));
}

namespace {

DatasetSplit make_splits(const DatasetPtr& samples, SplitIndices indices) {
  return {.train = std::make_shared<SubsetDataset>(samples, std::move(indices.train)),
          .test = std::make_shared<SubsetDataset>(samples, std::move(indices.test))};
}

std::vector<SampleId> name_ids(const Dataset& samples) {
  std::vector<SampleId> ids;
  for (int64_t i = 0; i < samples.size(); ++i) {
    ids.push_back(hash_id(std::string_view(samples.sample_name(i))));
  }
  return ids;
}

DatasetSplit split_by_identity(const DatasetPtr& samples, const HoldOut& options) {
  HashSplitOptions split_options{.test_fraction = options.test_fraction, .seed = options.seed};
  const auto rule = describe_rule(options);
  if (options.trained_on && options.trained_on->split_rule == rule) {
    split_options.keep_in_train = &options.trained_on->ids;
  }
  const auto labels = labels_of(*samples);
  auto ids = sample_ids(*samples, options.threads);
  auto indices = hash_split(ids, labels, split_options);
  std::vector<std::string> remarks;
  if (indices.test.empty() && split_options.keep_in_train) {
    split_options.keep_in_train = nullptr;  // better than an empty test split
    indices = hash_split(ids, labels, split_options);
  }
  if (indices.test.empty()) {
    ids = name_ids(*samples);
    indices = hash_split(ids, labels, split_options);
    if (!indices.test.empty()) {
      remarks.emplace_back(
          "the samples of each class are exact duplicates: splitting by "
          "name, so the test samples also occur in the training split");
    }
  }
  auto split =
      make_splits(std::make_shared<IdentifiedDataset>(samples, std::move(ids)), std::move(indices));
  split.split_rule = rule;
  split.remarks = std::move(remarks);
  return split;
}

}  // namespace

std::vector<ClassFolder> scan_class_folders(const io::FileTree& tree, const std::string& part,
                                            const std::vector<std::string>& extensions,
                                            UnreadFiles* unread) {
  std::vector<ClassFolder> classes;
  for (const auto& name : tree.subfolders(part)) {
    const auto folder = io::join_names(part, name);
    auto files =
        tree.files_below(folder, unread != nullptr ? std::vector<std::string>{} : extensions);
    for (auto& file : files) file = io::join_names(folder, file);
    std::erase_if(files, [&](const std::string& file) {
      const bool wanted = io::has_extension(file, extensions);
      if (!wanted && unread != nullptr) unread->add(file);
      return !wanted;
    });
    classes.push_back({name, std::move(files)});
  }
  return classes;
}

void drop_empty_classes(std::vector<ClassFolder>& classes, SampleKind kind,
                        const std::string& folder, const UnreadFiles& unread,
                        std::vector<std::string>& warnings) {
  const std::string word = kind_name(kind);
  std::string empty;
  for (const auto& [name, files] : classes) {
    if (!files.empty()) continue;
    if (empty.empty()) empty = io::printable(name);
    warnings.push_back(concat("class folder ", folder, "/", io::printable(name), " contains no ",
                              word, " and is skipped"));
  }
  std::erase_if(classes, [](const ClassFolder& entry) { return entry.files.empty(); });
  if (empty.empty() || classes.size() > 1) return;
  const auto advice = unread.advice();
  fail(Hint{advice.empty() ? concat("put ", word, "s into it: ", join(extensions_of(kind)))
                           : advice},
       "class folder ", folder, "/", empty, " contains no ", word, ", leaving ", classes.size(),
       " of at least two expected classes",
       unread.empty() ? "" : concat("; unsupported files: ", unread.describe()));
}

void check_training_classes(const std::vector<ClassFolder>& classes, SampleKind kind,
                            const std::string& folder) {
  const std::string word = kind_name(kind);
  const Hint one_each{"put the " + word + "s of each class into its own subfolder"};
  if (classes.empty()) {
    fail(one_each, "folder ", folder, " has no subfolders, expected one for each class");
  }
  if (classes.size() == 1) {
    fail(one_each, "folder ", folder, " has only one class, '", io::printable(classes[0].name),
         "', expected at least two");
  }
  for (const auto& [name, files] : classes) {
    if (files.empty()) {
      fail(Hint{"remove the folder or put " + word + "s into it"}, "class folder ", folder, "/",
           io::printable(name), " contains no ", word, ", expected files with extension ",
           join(extensions_of(kind)));
    }
  }
}

std::vector<std::string> folder_names(const std::vector<ClassFolder>& classes) {
  std::vector<std::string> names;
  for (const auto& folder : classes) names.push_back(io::printable(folder.name));
  return names;
}

DatasetPtr label_class_folders(const io::FileTreePtr& tree, SampleKind kind,
                               const std::vector<ClassFolder>& part, const ClassList& classes,
                               FileDataset::Identity identity) {
  std::unordered_map<std::string, int64_t> labels;
  for (const auto& folder : classes.folders) {
    labels.emplace(folder.name, static_cast<int64_t>(labels.size()));
  }
  std::vector<FileDataset::File> samples;
  for (const auto& [name, files] : part) {
    const auto label = labels.find(name);
    if (label == labels.end()) {
      fail(Hint{"remove the folder, or add the class to the training split"}, "class '",
           io::printable(name), "' of ", tree->name(),
           " is in the test split but not in the training split");
    }
    for (const auto& file : files) samples.push_back({file, label->second});
  }
  return std::make_shared<FileDataset>(tree, kind, classes.names, std::move(samples), identity);
}

DatasetSplit split_samples(const DatasetPtr& samples, const HoldOut& options) {
  if (options.rule == SplitRule::kHash) return split_by_identity(samples, options);
  auto split = make_splits(
      samples, stratified_split(labels_of(*samples), options.test_fraction, options.seed));
  split.split_rule = describe_rule(options);
  return split;
}

std::string describe_rule(const HoldOut& options) {
  const char* rule = options.rule == SplitRule::kHash ? "hash" : "shuffle";
  return concat(rule, ", test_fraction ", options.test_fraction, ", seed ", options.seed);
}

std::vector<std::pair<std::string, SplitRule>> split_rules() {
  return {{"hash", SplitRule::kHash}, {"shuffle", SplitRule::kShuffle}};
}

std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        const std::vector<std::string>& ids) {
  std::map<std::string, int> times;
  for (const auto& name : names) ++times[name];
  for (size_t i = 0; i < names.size(); ++i) {
    if (times[names[i]] > 1) names[i] += " (" + ids[i] + ")";
  }
  return names;
}

}  // namespace projnce::dataset
