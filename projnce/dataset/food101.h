#pragma once

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// True where a folder of the tree holds Food-101.
bool is_food101(const FileTreePtr& tree);

/// Opens Food-101: images/CLASS/ID.jpg, meta/classes.txt in the order of the labels, meta/train.txt
/// and meta/test.txt with lines CLASS/ID. Listed pictures that are not there are left out with a
/// remark. Throws where a list is missing, names an unknown class or leaves nothing, and where a
/// picture is in both.
DatasetSplit open_food101(const FileTreePtr& tree);

}  // namespace projnce
