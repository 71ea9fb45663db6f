#pragma once

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/io/filesystem/file_tree.h"

namespace projnce::dataset {

/// Opens a folder or archive that has a sub-folder for each class, or `train` with those and beside
/// it, in this order of preference, `test`, `val` or `valid`. Images or sounds: of which there
/// are more; files of the other kind are left out with a remark. A folder that holds nothing but
/// another one is looked through. The classes are the training part's, sorted by name; the test
/// part may lack some of them. A `train` that holds files and has other folders beside it is a
/// class of that name. Class folders without files are left out with a warning; files that are not
/// read are counted by extension. Throws if there is nothing to train on or to test with, fewer
/// than two classes have files, or a class is in the test part alone.
DatasetSplit open_folder(const io::FileTreePtr& tree, const HoldOut& options);

}  // namespace projnce::dataset
