#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/dataset/dataset_options.h"
#include "projnce/dataset/registry.h"
#include "projnce/dataset/wrappers/checked_dataset.h"

namespace projnce::dataset {

/// A dataset that is ready for training. Images have the same number of channels, clips the same
/// rate and length. If the samples fit into memory, they are cached and can all be decoded; larger
/// datasets are read again in each epoch, and corrupt samples are detected then.
struct OpenedDataset : DatasetSplit {
  std::filesystem::path root;
  /// Labels before label noise; empty without label noise.
  std::vector<int64_t> clean_train_labels;
  int64_t skipped_train = 0;  ///< corrupt samples that were skipped
  int64_t skipped_test = 0;
  ClipFormat audio;                ///< for clips: their common format
  CorruptLimit max_corrupt;        ///< for corrupt samples detected later
  StoredSplitPtr split = nullptr;  ///< assignment of samples to splits; null unless requested
  SplitChanges changes = {};       ///< relative to the stored split, if given
};

/// Opens the dataset described by the options.
OpenedDataset open_dataset(const DatasetOptions& options, const OpenContext& context);

/// Opens the samples as stored, including corrupt ones: nothing is decoded or changed. The limits
/// on the number of samples apply.
DatasetSplit open_unchecked_dataset(const DatasetOptions& options, const OpenContext& context);

}  // namespace projnce::dataset
