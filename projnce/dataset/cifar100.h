#pragma once

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

struct Cifar100Options {
  bool coarse = false;           ///< train on and judge by the 20 coarse classes
  bool coarse_training = false;  ///< train on the 20 coarse classes, judge by the 100 fine ones
};

/// True where a folder of the tree holds the binary version.
bool is_cifar100(const FileTreePtr& tree);

/// Opens the binary version: train.bin, test.bin, fine_label_names.txt, coarse_label_names.txt. The
/// counts come from the files' sizes. Throws where a file is missing, empty, not of whole records
/// or has a label above 19 (coarse) or 99 (fine), and where both options are set.
DatasetSplit open_cifar100(const FileTreePtr& tree, const Cifar100Options& options = {});

}  // namespace projnce
