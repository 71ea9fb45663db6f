#pragma once

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

}  // namespace projnce::dataset
