#include "projnce/dataset/class_folders.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "projnce/core/error.h"
#include "projnce/core/names.h"
#include "projnce/dataset/file_dataset.h"
#include "projnce/dataset/labels.h"
#include "projnce/dataset/stratify.h"
#include "projnce/dataset/subset.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

std::vector<ClassFolder> scan_class_folders(const FileTree& tree, const std::string& part,
                                            const std::vector<std::string>& extensions,
                                            UnreadFiles* unread) {
  std::vector<ClassFolder> classes;
  for (const auto& name : tree.subfolders(part)) {
    const auto folder = join_names(part, name);
    auto files =
        tree.files_below(folder, unread != nullptr ? std::vector<std::string>{} : extensions);
    for (auto& file : files) file = join_names(folder, file);
    std::erase_if(files, [&](const std::string& file) {
      const bool wanted = has_extension(file, extensions);
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
  const std::string word = word_for(kind);
  std::string empty;
  for (const auto& [name, files] : classes) {
    if (!files.empty()) continue;
    if (empty.empty()) empty = printable(name);
    warnings.push_back(concat("class folder ", folder, "/", printable(name), " holds no ", word,
                              " and is left out"));
  }
  std::erase_if(classes, [](const ClassFolder& entry) { return entry.files.empty(); });
  if (empty.empty() || classes.size() > 1) return;
  const auto advice = unread.advice();
  fail(Hint{advice.empty() ? concat("put ", word, "s into it: ", join(extensions_of(kind)))
                           : advice},
       "class folder ", folder, "/", empty, " holds no ", word, ", which leaves ", classes.size(),
       " of the two classes or more that are expected",
       unread.empty() ? "" : concat("; files that are not read: ", unread.describe()));
}

void check_training_classes(const std::vector<ClassFolder>& classes, SampleKind kind,
                            const std::string& folder) {
  const std::string word = word_for(kind);
  const Hint one_each{"put the " + word + "s of each class into a sub-folder of its own"};
  if (classes.empty()) {
    fail(one_each, "folder ", folder, " has no sub-folders, expected one for each class");
  }
  if (classes.size() == 1) {
    fail(one_each, "folder ", folder, " has one class only, '", printable(classes[0].name),
         "', expected two or more");
  }
  for (const auto& [name, files] : classes) {
    if (files.empty()) {
      fail(Hint{"remove the folder or put " + word + "s into it"}, "class folder ", folder, "/",
           printable(name), " holds no ", word, ", expected files that end in ",
           join(extensions_of(kind)));
    }
  }
}

std::vector<std::string> folder_names(const std::vector<ClassFolder>& classes) {
  std::vector<std::string> names;
  for (const auto& folder : classes) names.push_back(printable(folder.name));
  return names;
}

DatasetPtr label_class_folders(const FileTreePtr& tree, SampleKind kind,
                               const std::vector<ClassFolder>& part, const ClassList& classes) {
  std::unordered_map<std::string, int64_t> labels;
  for (const auto& folder : classes.folders) {
    labels.emplace(folder.name, static_cast<int64_t>(labels.size()));
  }
  std::vector<FileDataset::File> samples;
  for (const auto& [name, files] : part) {
    const auto label = labels.find(name);
    if (label == labels.end()) {
      fail(Hint{"remove the folder, or add the class to the training part"}, "class '",
           printable(name), "' of ", tree->name(),
           " is in the test part but not in the training part");
    }
    for (const auto& file : files) samples.push_back({file, label->second});
  }
  return std::make_shared<FileDataset>(tree, kind, classes.names, std::move(samples));
}

DatasetSplit divide(const DatasetPtr& samples, const HoldOut& options) {
  auto indices = stratified_split(labels_of(*samples), options.test_fraction, options.seed);
  return {.train = std::make_shared<SubsetDataset>(samples, std::move(indices.train)),
          .test = std::make_shared<SubsetDataset>(samples, std::move(indices.test))};
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

}  // namespace projnce
