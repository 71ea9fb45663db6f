#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

struct Cifar10Options {
  /// Train on two classes, vehicle and animal, and judge by the ten.
  bool coarse_training = false;
};

/// True where a folder of the tree holds the binary version.
bool is_cifar10(const FileTreePtr& tree);

/// Opens the binary version: data_batch_1.bin to data_batch_5.bin to train on, test_batch.bin,
/// batches.meta.txt with the names. The counts come from the files' sizes. Throws where a batch is
/// missing, empty, not of whole records or has a label above 9.
DatasetSplit open_cifar10(const FileTreePtr& tree, const Cifar10Options& options = {});

}  // namespace projnce
