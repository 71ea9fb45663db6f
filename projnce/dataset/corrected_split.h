#pragma once

#include "projnce/dataset/corrections.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/dataset_options.h"

namespace projnce::dataset {

/// What corrections changed.
struct SplitCorrections {
  CorrectionCounts train;  ///< training samples
  int64_t test = 0;        ///< corrections of test samples, which are not applied
};

/// Fingerprint of the names and labels of all samples of a dataset, in any order.
std::string names_and_labels_version(const std::vector<std::string>& names,
                                     const std::vector<std::string>& labels);

/// Applies the corrections of `options` to the training split. Test samples keep their labels, so
/// that runs with and without corrections have the same test split. Samples are named by the column
/// `sample`; those of a table by `id`, or `row` without id column. Throws like read_corrections, if
/// no training sample remains, or if the training labels are not the labels of the classes.
SplitCorrections correct_training_split(DatasetSplit& split, const DatasetOptions& options,
                                        const std::filesystem::path& root);

}  // namespace projnce::dataset
