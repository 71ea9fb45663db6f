#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/dataset/registry.h"
#include "projnce/dataset/wrappers/checked_dataset.h"

namespace projnce::dataset {

/// A dataset that is ready to train on. Images all have the same number of channels, sounds the
/// same rate and length. Where the samples fit into memory they are there, and all of them decode;
/// larger datasets are read again each time, and a damaged sample shows when it is decoded.
struct OpenedDataset : DatasetSplit {
  std::filesystem::path root;
  /// The labels before noise was added; empty where none was.
  std::vector<int64_t> clean_train_labels;
  int64_t skipped_train = 0;  ///< damaged samples that were left out
  int64_t skipped_test = 0;
  ClipFormat sound;                ///< of sounds: the form they are in
  CorruptLimit max_corrupt;        ///< for samples that turn out to be damaged later
  StoredSplitPtr split = nullptr;  ///< which samples are in which part; null unless asked for
  SplitChanges changes = {};       ///< since the stored split was made, if one was given
};

/// Opens what the options describe.
OpenedDataset open_dataset(const DatasetOptions& options, const OpenContext& context);

/// The same samples as they lie on disk, damaged ones too: nothing is decoded or changed. The
/// limits on the number of samples hold here as well.
DatasetSplit open_unchecked_dataset(const DatasetOptions& options, const OpenContext& context);

}  // namespace projnce::dataset
