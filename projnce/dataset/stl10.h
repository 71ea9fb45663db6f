#pragma once

#include <cstdint>

#include "projnce/dataset/dataset.h"
#include "projnce/io/file_tree.h"

namespace projnce {

/// Which pictures to train on.
enum class Stl10Train {
  kTrain,               ///< the labelled ones
  kUnlabelled,          ///< the others, without labels
  kTrainAndUnlabelled,  ///< both, without labels
};

struct Stl10Options {
  Stl10Train train_part = Stl10Train::kTrain;
  /// Take only this fold of the labelled training pictures, 0 to 9; -1 for all.
  int64_t fold = -1;
};

/// True where a folder of the tree holds the binary version.
bool is_stl10(const FileTreePtr& tree);

/// Opens the binary version: train_X.bin, train_y.bin, test_X.bin, test_y.bin, class_names.txt,
/// and, where the options ask for them, unlabeled_X.bin and fold_indices.txt. Pictures are read
/// when asked for. Throws where a file is missing, not of whole records, has a label that is not 1
/// to 10, or has not as many labels as pictures, and where a fold names a picture that is not
/// there.
DatasetSplit open_stl10(const FileTreePtr& tree, const Stl10Options& options = {});

}  // namespace projnce
