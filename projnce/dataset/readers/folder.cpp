#include "projnce/dataset/readers/class_folders.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/sound_readers.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

namespace {

constexpr std::array kTestFolders = {"test", "val", "valid"};
const char* const kTrainFolder = "train";
constexpr int kMaxEnclosingFolders = 8;

/// Folders of the splits, relative to the root; "" is the root.
struct Layout {
  std::string train;
  std::string test;  // "" if the training split is to be divided
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Layout find_layout(const io::FileTree& tree) {
  const auto folders = tree.subfolders("");
  if (!contains(folders, kTrainFolder)) return {};
  const bool has_other_folders = std::any_of(folders.begin(), folders.end(), [](const auto& name) {
    return name != kTrainFolder &&
           std::find(kTestFolders.begin(), kTestFolders.end(), name) == kTestFolders.end();
  });
  // "train" may be a class, next to cars and planes.
  if (has_other_folders && tree.subfolders(kTrainFolder).empty()) return {};
  for (const char* test : kTestFolders) {
    if (contains(folders, test)) return {kTrainFolder, test};
  }
  return {kTrainFolder, ""};
}

std::vector<std::string> image_and_sound_extensions() {
  auto extensions = extensions_of(SampleKind::kImage);
  const auto& sounds = extensions_of(SampleKind::kSound);
  extensions.insert(extensions.end(), sounds.begin(), sounds.end());
  return extensions;
}

/// Skips single enclosing folders, which are common in archives and downloads.
io::FileTreePtr skip_enclosing_folders(io::FileTreePtr tree) {
  for (int i = 0; i < kMaxEnclosingFolders; ++i) {
    const auto folders = tree->subfolders("");
    if (folders.size() != 1 || folders[0] == kTrainFolder) break;
    if (tree->subfolders(folders[0]).empty()) break;  // a class
    const auto files = tree->files_below("", image_and_sound_extensions());
    const bool deep = std::all_of(files.begin(), files.end(), [](const std::string& file) {
      return std::count(file.begin(), file.end(), '/') > 1;
    });
    if (!deep) break;
    tree = io::subtree(tree, folders[0]);
  }
  return tree;
}

size_t count_files(const std::vector<ClassFolder>& classes, SampleKind kind) {
  size_t count = 0;
  for (const auto& folder : classes) {
    count += static_cast<size_t>(std::count_if(
        folder.files.begin(), folder.files.end(),
        [&](const std::string& file) { return io::has_extension(file, extensions_of(kind)); }));
  }
  return count;
}

std::vector<ClassFolder> filter_by_kind(std::vector<ClassFolder> classes, SampleKind kind) {
  for (auto& folder : classes) {
    std::erase_if(folder.files, [&](const std::string& file) {
      return !io::has_extension(file, extensions_of(kind));
    });
  }
  return classes;
}

std::string reason_for(const Layout& layout) {
  const std::string each = "one subfolder per class, and no files of a known dataset";
  if (layout.train.empty()) return each;
  if (layout.test.empty()) return concat("a folder ", layout.train, " with ", each);
  return concat("folders ", layout.train, " and ", layout.test, " with ", each);
}

void report_unused_lists(const io::FileTreePtr& tree, DatasetSplit& split) {
  const auto reason = why_not_speech_commands(tree);
  if (!reason) return;
  split.remarks.push_back(concat("testing_list.txt and validation_list.txt are not used",
                                 reason->empty() ? "" : ", because ", *reason,
                                 "; use --layout speech-commands to split the sounds by them"));
}

}  // namespace

DatasetSplit open_folder(const io::FileTreePtr& root, const HoldOut& options) {
  const auto tree = skip_enclosing_folders(root);
  const auto layout = find_layout(*tree);
  UnreadFiles unread;
  const auto all = scan_class_folders(*tree, layout.train, image_and_sound_extensions(), &unread);
  const auto images = count_files(all, SampleKind::kImage);
  const auto sounds = count_files(all, SampleKind::kSound);
  const auto kind = sounds > images ? SampleKind::kSound : SampleKind::kImage;

  auto folders = filter_by_kind(all, kind);
  std::vector<std::string> warnings;
  drop_empty_classes(folders, kind, display_path(*tree, layout.train), unread, warnings);
  check_training_classes(folders, kind, display_path(*tree, layout.train));
  const ClassList classes{folders, folder_names(folders)};
  DatasetSplit split;
  split.train = label_class_folders(tree, kind, folders, classes);
  if (layout.test.empty()) {
    split = split_samples(split.train, options);
  } else {
    auto test = scan_class_folders(*tree, layout.test, extensions_of(kind), &unread);
    std::erase_if(test, [](const ClassFolder& folder) { return folder.files.empty(); });
    split.test = label_class_folders(tree, kind, test, classes);
  }
  if (split.test->size() == 0) {
    const std::string word = kind_name(kind);
    fail(Hint{"a class needs at least two " + word + "s to be split"}, "folder ",
         display_path(*tree, layout.test), " has no ", word, " to test with");
  }
  if (const auto others = std::min(images, sounds); others > 0) {
    split.remarks.push_back(
        concat("skipped ", counted(others, kind == SampleKind::kSound ? "image" : "sound"),
               ": a dataset has samples of one kind, and most are ", kind_name(kind), "s"));
  }
  split.warnings = std::move(warnings);
  unread.report(split);
  report_unused_lists(tree, split);
  split.layout.reason = reason_for(layout);
  return split;
}

}  // namespace projnce::dataset
