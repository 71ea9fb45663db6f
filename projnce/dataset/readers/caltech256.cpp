#include "projnce/dataset/readers/image_readers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/image/image_file.h"

namespace projnce::dataset {

namespace {

constexpr size_t kNumberLength = 3;
const char* const kClutter = "257.clutter";

/// True for names such as "001.ak47".
bool has_category_number(const std::string& name) {
  return name.size() > kNumberLength + 1 && name[kNumberLength] == '.' &&
         std::all_of(name.begin(), name.begin() + kNumberLength,
                     [](char c) { return c >= '0' && c <= '9'; });
}

io::FileTreePtr find_caltech256(const io::FileTreePtr& tree) {
  return find_subtree(tree, [&](const std::string& folder) {
    const auto names = tree->subfolders(folder);
    return std::count_if(names.begin(), names.end(), has_category_number) > 1;
  });
}

/// Removes files in nested folders: a few classes of the official set contain folders by mistake.
void remove_nested_files(ClassFolder& category) {
  std::erase_if(category.files, [&](const std::string& file) {
    return file.find('/', category.name.size() + 1) != std::string::npos;
  });
}

}  // namespace

bool is_caltech256(const io::FileTreePtr& root) {
  const auto tree = find_caltech256(root);
  if (!tree) return false;
  // Other datasets number their classes, too: file names must start with the class number.
  for (const auto& name : tree->subfolders("")) {
    if (!has_category_number(name)) continue;
    const auto files = tree->files_below(name, io::image_extensions());
    const auto start = name.substr(0, kNumberLength) + "_";
    if (!files.empty()) {
      return std::any_of(files.begin(), files.end(),
                         [&](const std::string& file) { return file.starts_with(start); });
    }
  }
  return false;
}

DatasetSplit open_caltech256(const io::FileTreePtr& root, const Caltech256Options& options) {
  const auto tree = find_caltech256(root);
  if (!tree) {
    fail(Hint{"pass the folder 256_ObjectCategories or its archive"}, root->name(),
         " contains no folders such as 001.ak47 and 002.american-flag");
  }
  ClassList classes;
  std::vector<std::string> remarks;
  for (auto& folder : scan_class_folders(*tree, "", io::image_extensions())) {
    if (!has_category_number(folder.name)) continue;
    if (folder.name == kClutter && !options.clutter) {
      remarks.emplace_back("257.clutter is skipped; set clutter = true to include it as a class");
      continue;
    }
    remove_nested_files(folder);
    classes.folders.push_back(std::move(folder));
  }
  check_training_classes(classes.folders, SampleKind::kImage, tree->name());
  const auto numbered = folder_names(classes.folders);
  for (const auto& name : numbered) classes.names.push_back(name.substr(kNumberLength + 1));
  classes.names = distinct_names(std::move(classes.names), numbered);

  auto split = split_samples(
      label_class_folders(tree, SampleKind::kImage, classes.folders, classes), options.hold_out);
  if (split.test->size() == 0) fail(tree->name(), " has no image to test with");
  split.remarks.insert(split.remarks.end(), remarks.begin(), remarks.end());
  split.remarks.push_back(concat("no official test split: holding out ",
                                 100 * options.hold_out.test_fraction, " % of the samples"));
  return split;
}

}  // namespace projnce::dataset
