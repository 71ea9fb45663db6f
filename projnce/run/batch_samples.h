#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/distributed/process_group.h"
#include "projnce/loader/batch.h"

namespace projnce::run {

/// A batch's samples of all ranks. A collective.
struct BatchSamples {
  torch::Tensor indices;    // [N], int64: their places in the dataset
  torch::Tensor is_finite;  // [N], bool: whether all values of all views are numbers
};
BatchSamples gather_samples(const loader::Batch& batch, distributed::ProcessGroup& ranks);

/// Their names, those that are not finite themselves first and marked.
std::vector<std::string> sample_names(const BatchSamples& samples, const dataset::Dataset& dataset);

}  // namespace projnce::run
