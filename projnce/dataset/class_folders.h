#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/unread_files.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// A folder and the files in it, which are of one class.
struct ClassFolder {
  std::string name;
  std::vector<std::string> files;  // in the tree
};

/// The sub-folders of `part`, sorted by name, with the files at any depth below them that have one
/// of these endings. The others are added to `unread`, which may be null.
std::vector<ClassFolder> scan_class_folders(const FileTree& tree, const std::string& part,
                                            const std::vector<std::string>& extensions,
                                            UnreadFiles* unread = nullptr);

/// Removes the classes without files, each with a warning. Throws, naming one of them and what
/// `unread` holds, if fewer than two classes are left; `folder` is what messages call the place.
void drop_empty_classes(std::vector<ClassFolder>& classes, SampleKind kind,
                        const std::string& folder, const UnreadFiles& unread,
                        std::vector<std::string>& warnings);

/// Throws unless there are two or more classes, each with a file; `folder` is what messages call
/// the place.
void check_training_classes(const std::vector<ClassFolder>& classes, SampleKind kind,
                            const std::string& folder);

/// The names of the folders, printable.
std::vector<std::string> folder_names(const std::vector<ClassFolder>& classes);

/// The classes of a training part, and what each is called.
struct ClassList {
  std::vector<ClassFolder> folders;
  std::vector<std::string> names;
};

/// The files of `part`, labelled by the place of their folder's name among the classes. Throws
/// where the training part has no folder of that name.
DatasetPtr label_class_folders(const FileTreePtr& tree, SampleKind kind,
                               const std::vector<ClassFolder>& part, const ClassList& classes);

/// How to divide samples that have no official test part.
struct HoldOut {
  /// Share of each class that is set aside; above 0, below 1.
  double test_fraction = 0.2;
  uint64_t seed = 0;  ///< decides which samples those are
};

/// Both parts out of all samples, stratified by class.
DatasetSplit divide(const DatasetPtr& samples, const HoldOut& options);

/// Names that occur twice get their `ids` in brackets: "crane (n02012849)".
std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        const std::vector<std::string>& ids);

}  // namespace projnce
