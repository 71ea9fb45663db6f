#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/registry.h"

namespace projnce {

/// A dataset that is ready to train on: all its samples decode, with the same number of channels.
struct OpenedDataset : DatasetSplit {
  std::filesystem::path root;
  /// The labels before noise was added; empty where none was.
  std::vector<int64_t> clean_train_labels;
  int64_t skipped_train = 0;  ///< damaged samples that were left out
  int64_t skipped_test = 0;
};

/// Opens what the table [dataset] describes and completes the table:
///
///   name = "fashion-mnist"   one of dataset_names()
///   root = ""                its folder; "" looks in dataset_places()
///   max_train = 0            train on a fixed, stratified subset of that many samples; 0 for all
///   max_test = 0             the same for the test part
///   strict = false           a damaged sample is an error, not a warning
///   test_fraction = 0.2      folder only: share to test with where it has no test part
///   [dataset.label_noise]    mode = "uniform_other", "uniform_all" or "permute_subset"
///                            rate = 0.0; seed = the run's
OpenedDataset open_dataset(Table& table, const OpenContext& context);

/// The same samples as they lie on disk, damaged ones too: nothing is decoded or relabelled. The
/// limits max_train and max_test hold here as well.
DatasetSplit open_unchecked_dataset(Table& table, const OpenContext& context);

}  // namespace projnce
