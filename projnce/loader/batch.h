#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "projnce/augment/view_format.h"
#include "projnce/dataset/dataset.h"

namespace projnce {

/// B samples, each in V views. Row v * B + b of `images` is view v of sample b.
struct Batch {
  torch::Tensor images;   // [V * B, C, H, W], float, channels-last in memory
  torch::Tensor labels;   // [B], int64
  torch::Tensor indices;  // [B], int64: the samples' places in the dataset
  int64_t views = 1;      // V

  int64_t size() const { return labels.size(0); }  // B

  /// Where view `view` of sample `sample` is written: format.values() floats.
  float* view_data(int64_t view, int64_t sample) const;
};

/// A batch of the samples `indices` with labels filled in and pixels undefined.
Batch make_batch(const Dataset& dataset, std::span<const int64_t> indices, int64_t views,
                 const ViewFormat& format);

}  // namespace projnce
