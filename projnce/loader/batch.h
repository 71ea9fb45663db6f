#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "projnce/augment/input_format.h"
#include "projnce/core/error.h"
#include "projnce/core/logging.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/wrappers/checked_dataset.h"

namespace projnce::loader {

/// Keeps count of samples that turn out to be damaged while batches are made of them. Large
/// datasets are not decoded before training starts, so this is where their damage shows: such a
/// sample is left out of its batch, named once, and too many of them stop the run. May be used from
/// several threads at once.
class CorruptSampleTracker {
 public:
  /// `samples`: of the dataset. `logger` may be null: then nothing is said.
  CorruptSampleTracker(int64_t samples, Logger logger, const dataset::CorruptLimit& limit = {});

  /// Notes that sample `index` could not be decoded. Throws where that makes too many, or where the
  /// error is not about the input.
  void skip(int64_t index, const Error& error);

  int64_t skipped() const;
  std::vector<int64_t> damaged() const;

 private:
  int64_t samples_;
  Logger logger_;
  dataset::CorruptLimit limit_;
  mutable std::mutex mutex_;
  std::set<int64_t> damaged_;
};

/// Throws a sentence with the option's name where its value is too small.
inline void check_at_least(const char* name, int64_t value, int64_t least) {
  if (value < least) fail(name, " = ", value, ", expected at least ", least);
}

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
  augment::InputFormat format = {};
};

/// What the views of a sample look at, where it is a image of this size.
using RequiredSampleRegion = std::function<DecodeRegion(int64_t index, int height, int width)>;

/// Writes view `view` of a sample: format.values() floats.
using WriteView =
    std::function<void(const Sample& sample, int64_t index, int64_t view, float* out)>;

/// Decodes the samples of the plan, as much of them as `need` says, and writes their views. Where
/// `damage` is given, samples that do not decode are left out of the batch and noted there; else
/// they throw.
Batch make_batch(const dataset::Dataset& dataset, const BatchPlan& plan,
                 CorruptSampleTracker* damage, const RequiredSampleRegion& need,
                 const WriteView& write_view);

}  // namespace projnce::loader
