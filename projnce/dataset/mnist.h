#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// The ten classes of Fashion-MNIST and of MNIST, in the order of their labels.
const std::vector<std::string>& fashion_mnist_classes();
const std::vector<std::string>& mnist_classes();

/// True where a folder of the tree holds the four files.
bool is_mnist(const FileTreePtr& tree);

/// Opens the four IDX files of the MNIST family (train- and t10k-, images and labels), plain or
/// gzip, and holds their bytes in memory; the counts come from the files. Throws where a file is
/// missing, damaged or contradicts another.
DatasetSplit open_mnist(const FileTreePtr& tree, const std::vector<std::string>& class_names);

}  // namespace projnce
