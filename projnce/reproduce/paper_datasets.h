#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/core/table.h"
#include "projnce/dataset/registry.h"
#include "projnce/reproduce/experiment.h"
#include "projnce/reproduce/scale.h"

namespace projnce {

/// A dataset that an experiment trains on, or would if it were here.
struct PaperDataset {
  std::string name;         ///< also that of its folder among the runs
  std::string title;        ///< "CIFAR-10 in place of STL10"
  std::string column;       ///< the dataset whose numbers of the paper stand beside; "" for none
  Table table = {};         ///< [dataset]
  std::string absent = {};  ///< why it cannot be trained on, and what to do; "" where it can
  SampleKind kind = SampleKind::kImage;
  int64_t train_samples = 0;
  std::vector<std::string> remarks = {};  ///< that it is a subset, say
};

/// The experiment's datasets, or `instead` (names, folders or archives) where that is not empty.
/// One that is not on this machine is no error: it says so.
std::vector<PaperDataset> find_paper_datasets(const Experiment& experiment, const Scale& scale,
                                              const std::vector<std::string>& instead,
                                              const OpenContext& context);

/// Names of the known datasets that are on this machine.
std::vector<std::string> present_datasets(const OpenContext& context);

}  // namespace projnce
