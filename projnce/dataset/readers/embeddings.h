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

/// A tensor of a safetensors file as an array; throws for the types that .npy files have not.
io::NpyView as_array(const io::SafetensorsView& file, const io::StoredTensor& tensor,
                     const std::string& origin);

/// The values of an array of floats of 16 to 64 bits. Throws, naming the row (the first dimension),
/// where one is not finite, and for other types.
std::vector<float> finite_floats(const io::NpyView& array, const std::string& origin);

/// The values of an array of whole numbers, all 0 or more. Throws for others.
std::vector<int64_t> integers(const io::NpyView& array, const std::string& origin);

/// True for the name of a file that open_embeddings takes by itself: X.npy or X.safetensors.
bool is_embeddings_file(const std::filesystem::path& path);

/// True where a folder of the tree holds vectors and labels by the names below.
bool is_embeddings(const io::FileTreePtr& tree);

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

}  // namespace projnce::dataset
