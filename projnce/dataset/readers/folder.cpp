#include "projnce/dataset/readers/folder.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/dataset/readers/audio_readers.h"
#include "projnce/dataset/readers/file_dataset.h"
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

std::vector<std::string> image_and_audio_extensions() {
  auto extensions = extensions_of(SampleKind::kImage);
  const auto& clips = extensions_of(SampleKind::kAudio);
  extensions.insert(extensions.end(), clips.begin(), clips.end());
  return extensions;
}

/// Skips single enclosing folders, which are common in archives and downloads, and appends their
/// names to `skipped`.
io::FileTreePtr skip_enclosing_folders(io::FileTreePtr tree, std::string& skipped) {
  for (int i = 0; i < kMaxEnclosingFolders; ++i) {
    const auto folders = tree->subfolders("");
    if (folders.size() != 1 || folders[0] == kTrainFolder) break;
    if (tree->subfolders(folders[0]).empty()) break;  // a class
    const auto files = tree->files_below("", image_and_audio_extensions());
    const bool deep = std::all_of(files.begin(), files.end(), [](const std::string& file) {
      return std::count(file.begin(), file.end(), '/') > 1;
    });
    if (!deep) break;
    tree = io::subtree(tree, folders[0]);
    skipped = io::join_names(skipped, folders[0]);
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
                                 "; use --layout speech-commands to split the clips by them"));
}

/// The class folders of a tree.
struct FolderContents {
  io::FileTreePtr tree;  // without enclosing folders
  std::string enclosing = {};
  Layout layout = {};
  SampleKind kind = SampleKind::kImage;
  int64_t others = 0;  // samples of the other kind
  std::vector<ClassFolder> train = {};
  std::vector<ClassFolder> test = {};  // empty if the training split is to be divided
  std::vector<std::string> warnings = {};
  UnreadFiles unread = {};
};

FolderContents scan_folder(const io::FileTreePtr& root) {
  FolderContents contents;
  contents.tree = skip_enclosing_folders(root, contents.enclosing);
  const auto& tree = *contents.tree;
  contents.layout = find_layout(tree);
  const auto& [train, test] = contents.layout;
  contents.train = scan_class_folders(tree, train, image_and_audio_extensions(), &contents.unread);
  const auto images = count_files(contents.train, SampleKind::kImage);
  const auto clips = count_files(contents.train, SampleKind::kAudio);
  contents.kind = clips > images ? SampleKind::kAudio : SampleKind::kImage;
  contents.others = static_cast<int64_t>(std::min(images, clips));
  contents.train = filter_by_kind(std::move(contents.train), contents.kind);
  drop_empty_classes(contents.train, contents.kind, display_path(tree, train), contents.unread,
                     contents.warnings);
  check_training_classes(contents.train, contents.kind, display_path(tree, train));
  if (test.empty()) return contents;
  contents.test = scan_class_folders(tree, test, extensions_of(contents.kind), &contents.unread);
  std::erase_if(contents.test, [](const ClassFolder& folder) { return folder.files.empty(); });
  return contents;
}

void append_files(const std::vector<ClassFolder>& folders, const std::string& part,
                  std::vector<FolderFile>& files) {
  for (const auto& folder : folders) {
    for (const auto& file : folder.files) files.push_back({file, part, folder.name});
  }
}

}  // namespace

DatasetSplit open_folder(const io::FileTreePtr& root, const HoldOut& options) {
  auto contents = scan_folder(root);
  const auto& [tree, enclosing, layout, kind, others, folders, test, warnings, unread] = contents;
  const ClassList classes{folders, folder_names(folders)};
  DatasetSplit split;
  split.train = label_class_folders(tree, kind, folders, classes);
  if (layout.test.empty()) {
    split = split_samples(split.train, options);
  } else {
    split.test = label_class_folders(tree, kind, test, classes);
  }
  if (split.test->size() == 0) {
    const std::string word = kind_name(kind);
    fail(Hint{"a class needs at least two " + word + "s to be split"}, "folder ",
         display_path(*tree, layout.test), " has no ", word, " to test with");
  }
  if (others > 0) {
    split.remarks.push_back(
        concat("skipped ", counted(others, kind == SampleKind::kAudio ? "image" : "audio clip"),
               ": a dataset has samples of one kind, and most are ", kind_name(kind), "s"));
  }
  split.warnings = warnings;
  unread.report(split);
  report_unused_lists(tree, split);
  split.layout.reason = reason_for(layout);
  return split;
}

FolderListing list_folder(const io::FileTreePtr& root) {
  const auto contents = scan_folder(root);
  FolderListing listing{.enclosing = contents.enclosing, .files = {}, .class_names = {}};
  append_files(contents.train, contents.layout.train, listing.files);
  append_files(contents.test, contents.layout.test, listing.files);
  for (const auto& folder : contents.train) listing.class_names.push_back(folder.name);
  return listing;
}

}  // namespace projnce::dataset
