#include "projnce/dataset/imagenet.h"

#include <algorithm>
#include <string>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/layout.h"
#include "projnce/dataset/wordnet_names.h"
#include "projnce/io/image_file.h"
#include "projnce/io/tree_names.h"

namespace projnce {

namespace {

bool has_train_and_val(const FileTree& tree, const std::string& folder) {
  return tree.has_folder(join_names(folder, "train")) && tree.has_folder(join_names(folder, "val"));
}

/// The names in the nearest file that has some, beside the data or next to the folder around it.
std::vector<std::string> read_synset_names(const FileTree& root, const FileTree& data,
                                           const std::vector<std::string>& wnids) {
  for (const auto* tree : {&data, &root}) {
    for (const char* file : {"LOC_synset_mapping.txt", "words.txt", "classes.txt"}) {
      if (tree->has_file(file)) return read_wordnet_names(*tree, file, wnids);
    }
  }
  return wnids;
}

}  // namespace

bool is_imagenet(const FileTreePtr& tree) {
  return find_subtree(tree, [&](const std::string& folder) {
           if (!has_train_and_val(*tree, folder)) return false;
           const auto train = tree->subfolders(join_names(folder, "train"));
           const auto val = tree->subfolders(join_names(folder, "val"));
           return !train.empty() && std::all_of(train.begin(), train.end(), is_wnid) &&
                  std::all_of(val.begin(), val.end(), is_wnid);
         }) != nullptr;
}

DatasetSplit open_imagenet(const FileTreePtr& root) {
  const auto tree = find_subtree(
      root, [&](const std::string& folder) { return has_train_and_val(*root, folder); });
  if (!tree) {
    fail(Hint{"unpack the official archives into train/WNID and val/WNID"}, root->name(),
         " holds no folders train and val");
  }
  ClassList classes;
  classes.folders = scan_class_folders(*tree, "train", image_extensions());
  check_training_classes(classes.folders, SampleKind::kImage, place_in(*tree, "train"));
  const auto validation = scan_class_folders(*tree, "val", image_extensions());
  if (validation.empty()) {
    fail(Hint{"move each validation picture into a folder with the wnid of its class, as the "
              "scripts called valprep.sh do"},
         place_in(*tree, "val"), " has no sub-folders, expected one for each class");
  }
  classes.names = read_synset_names(*root, *tree, folder_names(classes.folders));

  DatasetSplit split;
  split.train = label_class_folders(tree, SampleKind::kImage, classes.folders, classes,
                                    FileDataset::Identity::kName);
  split.test = label_class_folders(tree, SampleKind::kImage, validation, classes,
                                   FileDataset::Identity::kName);
  if (split.test->size() == 0) fail(place_in(*tree, "val"), " has no picture to test with");
  return split;
}

}  // namespace projnce
