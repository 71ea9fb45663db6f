#pragma once

#include <filesystem>

#include "projnce/dataset/class_folders.h"
#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// True for the name of a file that open_embeddings takes by itself: X.npy or X.safetensors.
bool is_embeddings_file(const std::filesystem::path& path);

/// True where a folder of the tree holds vectors and labels by the names below.
bool is_embeddings(const FileTreePtr& tree);

/// Opens vectors of another model, floats of 16 to 64 bits (N, D), with whole numbers (N) for
/// labels:
///
///   a folder or archive    train.npy, train_labels.npy, test.npy, test_labels.npy;
///                          or embeddings.npy, labels.npy;
///                          or X.npy, X.labels.npy
///   X.npy                  with X.labels.npy or labels.npy beside it
///   X.safetensors          with train_embeddings, train_labels, test_embeddings, test_labels;
///                          or embeddings, labels
///
/// What has no test part is divided. The classes are the training labels that occur, in order, and
/// called by their numbers; where classes.txt lies beside the files, they are its lines. Throws
/// where counts or dimensions differ, a value is not finite, a label is negative, has no name or is
/// in the test part alone, or there is one class only.
DatasetSplit open_embeddings(const std::filesystem::path& root, const HoldOut& options = {});

}  // namespace projnce
