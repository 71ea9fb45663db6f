#include "projnce/dataset/readers/image_readers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/readers/tree_files.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/image/image_file.h"
#include "projnce/io/printable.h"

namespace projnce::dataset {

bool is_wnid(const std::string& name) {
  return name.size() == 9 && name[0] == 'n' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> read_wordnet_names(const io::FileTree& tree, const std::string& file,
                                            const std::vector<std::string>& wnids) {
  std::unordered_map<std::string, std::string> first_names;
  for (const auto& line : read_text_list(tree, file).lines) {
    const auto gap = line.find_first_of(" \t");
    if (gap == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", gap);
    first_names[line.substr(0, gap)] = line.substr(begin, line.find(',', begin) - begin);
  }
  std::vector<std::string> names;
  for (const auto& wnid : wnids) {
    const auto found = first_names.find(wnid);
    const bool named = found != first_names.end() && !found->second.empty();
    names.push_back(io::printable(named ? found->second : wnid));
  }
  return distinct_names(std::move(names), wnids);
}

namespace {

bool has_train_and_val(const io::FileTree& tree, const std::string& folder) {
  return tree.has_folder(io::join_names(folder, "train")) &&
         tree.has_folder(io::join_names(folder, "val"));
}

/// Reads class names from the nearest file, in the folder of the data or in its root.
std::vector<std::string> read_synset_names(const io::FileTree& root, const io::FileTree& data,
                                           const std::vector<std::string>& wnids) {
  for (const auto* tree : {&data, &root}) {
    for (const char* file : {"LOC_synset_mapping.txt", "words.txt", "classes.txt"}) {
      if (tree->has_file(file)) return read_wordnet_names(*tree, file, wnids);
    }
  }
  return wnids;
}

}  // namespace

bool is_imagenet(const io::FileTreePtr& tree) {
  return find_subtree(tree, [&](const std::string& folder) {
           if (!has_train_and_val(*tree, folder)) return false;
           const auto train = tree->subfolders(io::join_names(folder, "train"));
           const auto val = tree->subfolders(io::join_names(folder, "val"));
           return !train.empty() && std::all_of(train.begin(), train.end(), is_wnid) &&
                  std::all_of(val.begin(), val.end(), is_wnid);
         }) != nullptr;
}

DatasetSplit open_imagenet(const io::FileTreePtr& root) {
  const auto tree = find_subtree(
      root, [&](const std::string& folder) { return has_train_and_val(*root, folder); });
  if (!tree) {
    fail(Hint{"extract the official archives to train/WNID and val/WNID"}, root->name(),
         " contains no folders train and val");
  }
  ClassList classes;
  classes.folders = scan_class_folders(*tree, "train", io::image_extensions());
  check_training_classes(classes.folders, SampleKind::kImage, display_path(*tree, "train"));
  const auto validation = scan_class_folders(*tree, "val", io::image_extensions());
  if (validation.empty()) {
    fail(Hint{"move each validation image into a folder named after the wnid of its class, as "
              "valprep.sh does"},
         display_path(*tree, "val"), " has no subfolders, expected one for each class");
  }
  classes.names = read_synset_names(*root, *tree, folder_names(classes.folders));

  DatasetSplit split;
  split.train = label_class_folders(tree, SampleKind::kImage, classes.folders, classes,
                                    FileDataset::Identity::kName);
  split.test = label_class_folders(tree, SampleKind::kImage, validation, classes,
                                   FileDataset::Identity::kName);
  if (split.test->size() == 0) fail(display_path(*tree, "val"), " has no image to test with");
  return split;
}

namespace {

const char* const kWnidFile = "wnids.txt";
const char* const kAnnotationFile = "val/val_annotations.txt";

io::FileTreePtr find_tiny_imagenet(const io::FileTreePtr& tree) {
  return find_subtree_with(tree, {kWnidFile, kAnnotationFile});
}

/// In the order of wnids.txt, which is the label order.
std::vector<ClassFolder> scan_tiny_classes(const io::FileTree& tree) {
  std::vector<ClassFolder> classes;
  for (const auto& wnid : read_name_list(tree, kWnidFile)) {
    if (!is_plain_name(wnid)) {
      fail(display_path(tree, kWnidFile), " names the class '", wnid, "', expected folder names");
    }
    const auto folder = io::join_names("train", wnid);
    if (!tree.has_folder(folder)) {
      fail(Hint{"extract the archive again, or remove the class from the list"},
           display_path(tree, kWnidFile), " names the class ", wnid,
           ", but this folder does not exist: ", display_path(tree, folder));
    }
    auto files = tree.files_below(folder, io::image_extensions());
    for (auto& file : files) file = io::join_names(folder, file);
    classes.push_back({wnid, std::move(files)});
  }
  return classes;
}

/// Lines consist of image name, class and four numbers, separated by tabs.
std::vector<FileDataset::File> read_annotations(const io::FileTree& tree,
                                                const std::vector<ClassFolder>& classes) {
  std::unordered_map<std::string, int64_t> labels;
  for (const auto& folder : classes) {
    labels.emplace(folder.name, static_cast<int64_t>(labels.size()));
  }
  const std::string folder = "val/images";
  const auto found = tree.files_below(folder, io::image_extensions());
  std::unordered_set<std::string> images(found.begin(), found.end());

  std::vector<FileDataset::File> samples;
  const auto list = read_text_list(tree, kAnnotationFile);
  for (size_t i = 0; i < list.lines.size(); ++i) {
    if (list.lines[i].empty()) continue;
    const auto fields = split_line(list.lines[i], '\t');
    if (fields.size() < 2) {
      fail(list.location(i), " has one column, expected an image and its class separated by a tab");
    }
    const auto label = labels.find(fields[1]);
    if (label == labels.end()) {
      fail(list.location(i), " has the class '", io::printable(fields[1]), "', which is not in ",
           kWnidFile);
    }
    if (images.erase(fields[0]) == 0) {
      fail(list.location(i), " names the image '", io::printable(fields[0]),
           "', which is a duplicate or missing in ", display_path(tree, folder));
    }
    samples.push_back({io::join_names(folder, fields[0]), label->second});
  }
  if (samples.empty()) fail(list.name, " names no image");
  return samples;
}

}  // namespace

bool is_tiny_imagenet(const io::FileTreePtr& tree) {
  return find_tiny_imagenet(tree) != nullptr;
}

DatasetSplit open_tiny_imagenet(const io::FileTreePtr& root) {
  const auto tree = find_tiny_imagenet(root);
  if (!tree) {
    fail(Hint{"pass the folder tiny-imagenet-200 or its archive"}, root->name(), " contains no ",
         kWnidFile, " next to ", kAnnotationFile);
  }
  DatasetSplit split;
  ClassList classes;
  classes.folders = scan_tiny_classes(*tree);
  check_training_classes(classes.folders, SampleKind::kImage, display_path(*tree, "train"));
  classes.names = folder_names(classes.folders);
  if (tree->has_file("words.txt")) {
    classes.names = read_wordnet_names(*tree, "words.txt", classes.names);
  } else {
    split.remarks.emplace_back("words.txt is missing: using WordNet ids as class names");
  }
  split.train = label_class_folders(tree, SampleKind::kImage, classes.folders, classes);
  split.test = std::make_shared<FileDataset>(tree, SampleKind::kImage, classes.names,
                                             read_annotations(*tree, classes.folders));
  return split;
}

}  // namespace projnce::dataset
