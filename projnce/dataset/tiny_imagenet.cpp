#include "projnce/dataset/tiny_imagenet.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/file_dataset.h"
#include "projnce/dataset/layout.h"
#include "projnce/dataset/text_list.h"
#include "projnce/dataset/wordnet_names.h"
#include "projnce/io/image_file.h"
#include "projnce/io/printable.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

const char* const kWnidFile = "wnids.txt";
const char* const kAnnotationFile = "val/val_annotations.txt";

FileTreePtr find_tiny_imagenet(const FileTreePtr& tree) {
  return find_subtree_with(tree, {kWnidFile, kAnnotationFile});
}

/// In the order of wnids.txt, which is that of the labels.
std::vector<ClassFolder> scan_tiny_classes(const FileTree& tree) {
  std::vector<ClassFolder> classes;
  for (const auto& wnid : read_name_list(tree, kWnidFile)) {
    if (!is_plain_name(wnid)) {
      fail(place_in(tree, kWnidFile), " names the class '", wnid, "', expected names of folders");
    }
    const auto folder = join_names("train", wnid);
    if (!tree.has_folder(folder)) {
      fail(Hint{"unpack the archive again, or take the class out of the list"},
           place_in(tree, kWnidFile), " names the class ", wnid, ", but there is no folder ",
           place_in(tree, folder));
    }
    auto files = tree.files_below(folder, image_extensions());
    for (auto& file : files) file = join_names(folder, file);
    classes.push_back({wnid, std::move(files)});
  }
  return classes;
}

/// A line is the picture's name, its class and four numbers, with tabs between.
std::vector<FileDataset::File> read_annotations(const FileTree& tree,
                                                const std::vector<ClassFolder>& classes) {
  std::unordered_map<std::string, int64_t> labels;
  for (const auto& folder : classes) {
    labels.emplace(folder.name, static_cast<int64_t>(labels.size()));
  }
  const std::string folder = "val/images";
  const auto found = tree.files_below(folder, image_extensions());
  std::unordered_set<std::string> pictures(found.begin(), found.end());

  std::vector<FileDataset::File> samples;
  const auto list = read_text_list(tree, kAnnotationFile);
  for (size_t i = 0; i < list.lines.size(); ++i) {
    if (list.lines[i].empty()) continue;
    const auto fields = split_line(list.lines[i], '\t');
    if (fields.size() < 2) {
      fail(list.place(i), " has one column, expected a picture and its class with a tab between");
    }
    const auto label = labels.find(fields[1]);
    if (label == labels.end()) {
      fail(list.place(i), " has the class '", printable(fields[1]), "', which ", kWnidFile,
           " does not name");
    }
    if (pictures.erase(fields[0]) == 0) {
      fail(list.place(i), " names the picture '", printable(fields[0]), "', which ",
           place_in(tree, folder), " does not hold, or which was named before");
    }
    samples.push_back({join_names(folder, fields[0]), label->second});
  }
  if (samples.empty()) fail(list.name, " names no picture");
  return samples;
}

}  // namespace

bool is_tiny_imagenet(const FileTreePtr& tree) {
  return find_tiny_imagenet(tree) != nullptr;
}

DatasetSplit open_tiny_imagenet(const FileTreePtr& root) {
  const auto tree = find_tiny_imagenet(root);
  if (!tree) {
    fail(Hint{"give the folder tiny-imagenet-200 or its archive"}, root->name(), " holds no ",
         kWnidFile, " with ", kAnnotationFile, " beside it");
  }
  DatasetSplit split;
  ClassList classes;
  classes.folders = scan_tiny_classes(*tree);
  check_training_classes(classes.folders, SampleKind::kImage, place_in(*tree, "train"));
  classes.names = folder_names(classes.folders);
  if (tree->has_file("words.txt")) {
    classes.names = read_wordnet_names(*tree, "words.txt", classes.names);
  } else {
    split.remarks.emplace_back("words.txt is missing: the classes have numbers for names");
  }
  split.train = label_class_folders(tree, SampleKind::kImage, classes.folders, classes);
  split.test = std::make_shared<FileDataset>(tree, SampleKind::kImage, classes.names,
                                             read_annotations(*tree, classes.folders));
  return split;
}

}  // namespace projnce
