#pragma once

#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

struct Caltech256Options {
  bool clutter = false;   ///< 257.clutter is a class too
  HoldOut hold_out = {};  ///< there is no official test part
};

/// Whether a folder of the tree holds folders such as 001.ak47 with files such as 001_0001.jpg.
bool is_caltech256(const FileTreePtr& tree);

/// Opens Caltech-256: a folder NNN.name for each class, in the order of the numbers. Throws as a
/// folder of classes does.
DatasetSplit open_caltech256(const FileTreePtr& tree, const Caltech256Options& options = {});

}  // namespace projnce
