#pragma once

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// True where a folder of the tree holds Tiny-ImageNet.
bool is_tiny_imagenet(const FileTreePtr& tree);

/// Opens Tiny-ImageNet: wnids.txt in the order of the labels, words.txt for the classes' names,
/// train/WNID/images, and as the test part val/images with the classes of val/val_annotations.txt
/// (the test pictures have no labels). Throws where a class has no training pictures, or an
/// annotation is malformed, of an unknown class or of a picture that is not there.
DatasetSplit open_tiny_imagenet(const FileTreePtr& tree);

}  // namespace projnce
