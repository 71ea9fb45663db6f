#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "projnce/core/table.h"
#include "projnce/dataset/corrupt_limit.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/registry.h"

namespace projnce {

/// A dataset that is ready to train on. Pictures all have the same number of channels, sounds the
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

/// Opens what the table [dataset] describes and completes the table:
///
///   name = "fashion-mnist"   one of dataset_names()
///   root = ""                its folder or archive; "" looks in dataset_places()
///   split = "hash"           how a dataset without a test part is divided: "hash" of each sample's
///                            content, or "shuffle" by the run's seed; also test_fraction and
///                            split_seed
///   max_train = 0            train on a fixed, stratified subset of that many samples; 0 for all
///   max_test = 0             the same for the test part
///   label_fraction = 1.0     train on this share of each class
///   imbalance = 1.0          train on a long tail: the last class has this share of the largest
///   strict = false           a damaged sample is an error, not a warning
///   max_corrupt = "auto"     more unreadable samples are an error: a number such as "5", a share
///                            such as "1%", or "auto", the larger of 1 % and 5
///   memory_mb = 2048         decoded samples are held in memory where this is enough for them
///   [dataset.label_noise]    mode = "uniform_other", "uniform_all" or "permute_subset"
///                            rate = 0.0; seed = the run's
///   [dataset.feature_noise]  pictures only: deviation = 0.0 (on the scale 0..255), clip = true,
///                            test = true, seed = the run's
///
/// and the fields that each dataset has of its own.
OpenedDataset open_dataset(Table& table, const OpenContext& context);

/// Reads the table as open_dataset does and completes it, without looking at any data.
void complete_dataset_table(Table& table, const OpenContext& context);

/// The same samples as they lie on disk, damaged ones too: nothing is decoded or changed. The
/// limits on the number of samples hold here as well.
DatasetSplit open_unchecked_dataset(Table& table, const OpenContext& context);

}  // namespace projnce
