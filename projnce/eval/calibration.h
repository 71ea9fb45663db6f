#pragma once

#include <torch/types.h>

#include <cstdint>

namespace projnce {

/// Expected calibration error: samples are put into `bins` equal intervals by the probability of
/// their predicted class, and the gaps between that probability and the share that is right are
/// averaged with the bins' sizes. Probabilities [N, C], labels [N]; N >= 1. 0 is perfect.
double calibration_error(const torch::Tensor& probabilities, const torch::Tensor& labels,
                         int64_t bins = 15);

}  // namespace projnce
