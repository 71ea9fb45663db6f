#pragma once

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// True where a folder of the tree holds train and val with wnids for folders.
bool is_imagenet(const FileTreePtr& tree);

/// Opens the ImageNet layout: train/WNID and, as the test part, val/WNID; the labels are the places
/// of the wnids in order. Names come from LOC_synset_mapping.txt, words.txt or classes.txt, in the
/// folder or above it, where there is one. Throws as a folder of classes does, and where the
/// validation pictures are not sorted into classes.
DatasetSplit open_imagenet(const FileTreePtr& tree);

}  // namespace projnce
