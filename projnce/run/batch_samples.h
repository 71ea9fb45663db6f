#pragma once

#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"
#include "projnce/distributed/process_group.h"
#include "projnce/loader/batch.h"

namespace projnce::run {

/// Samples of one batch, over all ranks.
struct BatchSamples {
  torch::Tensor indices;    // [N], int64: dataset indices
  torch::Tensor is_finite;  // [N], bool: all values of all views are finite
};

/// Gathers the samples of `batch` from all ranks. Collective.
BatchSamples gather_samples(const loader::Batch& batch, distributed::ProcessGroup& ranks);

/// Names of the samples; those with non-finite values come first and are marked.
std::vector<std::string> sample_names(const BatchSamples& samples, const dataset::Dataset& dataset);

}  // namespace projnce::run
