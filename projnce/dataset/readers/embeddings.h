#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/readers/class_folders.h"
#include "projnce/io/filesystem/file_tree.h"
#include "projnce/io/tensor/npy.h"
#include "projnce/io/tensor/safetensors_file.h"

namespace projnce::dataset {

/// Converts a tensor of a safetensors file to an array; throws for types that .npy files lack.
io::NpyView as_array(const io::SafetensorsView& file, const io::StoredTensor& tensor,
                     const std::string& origin);

/// Returns the values of an array of 16- to 64-bit floats. Throws for other types, and for values
/// that are not finite (naming the row, the first dimension).
std::vector<float> finite_floats(const io::NpyView& array, const std::string& origin);

/// Returns the values of an array of nonnegative integers. Throws for others.
std::vector<int64_t> integers(const io::NpyView& array, const std::string& origin);

/// True for single files that open_embeddings accepts: X.npy and X.safetensors.
bool is_embeddings_file(const std::filesystem::path& path);

/// True if a folder of the tree contains vectors and labels with the names below.
bool is_embeddings(const io::FileTreePtr& tree);

/// Opens embeddings of another model, 16- to 64-bit floats of shape (N, D), with integer labels of
/// shape (N):
///
///   a folder or archive    train.npy, train_labels.npy, test.npy, test_labels.npy;
///                          or embeddings.npy, labels.npy;
///                          or X.npy, X.labels.npy
///   X.npy                  with X.labels.npy or labels.npy next to it
///   X.safetensors          with train_embeddings, train_labels, test_embeddings, test_labels;
///                          or embeddings, labels
///
/// Without a test split, the samples are split. The classes are the distinct training labels in
/// ascending order; their names are the lines of classes.txt if it exists, otherwise the labels.
/// Throws if counts or dimensions differ, a value is not finite, a label is negative, has no name
/// or occurs only in the test split, or there is only one class.
DatasetSplit open_embeddings(const std::filesystem::path& root, const HoldOut& options = {});

}  // namespace projnce::dataset
