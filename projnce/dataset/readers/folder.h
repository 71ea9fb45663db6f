#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// Opens a folder or archive with a subfolder per class, or with `train` and one of `test`, `val`
/// or `valid` (in this order of preference) that contain the class folders.
///
/// - Single enclosing folders are skipped.
/// - The samples are images or clips, whichever are more; the others are skipped with a remark.
/// - The classes are those of the training split, sorted by name; the test split may lack some.
/// - A folder `train` that contains files and has other folders next to it is a class.
/// - Class folders without files are skipped with a warning; unsupported files are counted by
///   extension.
///
/// Throws if the training or test split would be empty, fewer than two classes have files, or a
/// class occurs only in the test split.
DatasetSplit open_folder(const io::FileTreePtr& tree, const HoldOut& options);

/// A sample of class folders.
struct FolderFile {
  std::string file;        ///< name in the tree, such as "train/cat/1.jpg"
  std::string part;        ///< folder of the class folders: "train", "test", ... or ""
  std::string class_name;  ///< name of the class folder
};

/// The samples that open_folder reads.
struct FolderListing {
  std::string enclosing;                 ///< skipped enclosing folders; "" for none
  std::vector<FolderFile> files;         ///< names relative to `enclosing`
  std::vector<std::string> class_names;  ///< folder names of the training split
};

/// Lists the samples of open_folder; throws like it.
FolderListing list_folder(const io::FileTreePtr& root);

}  // namespace projnce::dataset
