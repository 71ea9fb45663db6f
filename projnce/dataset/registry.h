#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "projnce/core/logging.h"
#include "projnce/core/table.h"
#include "projnce/dataset/dataset.h"

namespace projnce {

/// What opening a dataset takes from the program around it.
struct OpenContext {
  uint64_t seed = 0;  ///< decides splits and, unless it has a seed of its own, label noise
  int threads = 1;    ///< that decode at once while the samples are checked
  /// Holds a folder for each dataset; "" for none. The program takes it from PROJNCE_DATA.
  std::filesystem::path data_root = {};
  std::filesystem::path cache_home = {};   ///< usually ~/.cache: projnce/NAME is looked for in it
  size_t memory_budget = size_t{2} << 30;  ///< bytes of decoded pixels that may stay in memory
  Logger logger = {};                      ///< for warnings; may be null
  std::function<void(int64_t done, int64_t total)> on_progress = {};  ///< while samples are checked
};

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

/// What `data list` says about a dataset.
struct DatasetDescription {
  std::string name;
  std::string summary;
  std::string source;  ///< where its makers hand it out
};

std::vector<DatasetDescription> describe_datasets();
std::vector<std::string> dataset_names();

/// The folders that are tried, in this order, where the table has no root.
std::vector<std::filesystem::path> dataset_places(const std::string& name,
                                                  const OpenContext& context);

}  // namespace projnce
