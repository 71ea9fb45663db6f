#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "projnce/augment/input_format.h"
#include "projnce/dataset/dataset.h"
#include "projnce/loader/damage_watch.h"

namespace projnce {

/// B samples, each in V views. Row v * B + b of `images` is view v of sample b.
struct Batch {
  torch::Tensor images;   // [V * B, C, H, W], float, channels-last in memory
  torch::Tensor labels;   // [B], int64
  torch::Tensor indices;  // [B], int64: the samples' places in the dataset
  int64_t views = 1;      // V

  int64_t size() const { return labels.size(0); }  // B
};

/// What a batch is made of.
struct BatchPlan {
  std::span<const int64_t> indices;  ///< samples of the dataset
  int64_t views = 1;
  InputFormat format = {};
};

/// What the views of a sample look at, where it is a picture of this size.
using SampleNeed = std::function<PictureNeed(int64_t index, int height, int width)>;

/// Writes view `view` of a sample: format.values() floats.
using WriteView =
    std::function<void(const Sample& sample, int64_t index, int64_t view, float* out)>;

/// Decodes the samples of the plan, as much of them as `need` says, and writes their views. Where
/// `damage` is given, samples that do not decode are left out of the batch and noted there; else
/// they throw.
Batch make_batch(const Dataset& dataset, const BatchPlan& plan, DamageWatch* damage,
                 const SampleNeed& need, const WriteView& write_view);

}  // namespace projnce
