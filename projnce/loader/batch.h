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

/// Counts samples that fail to decode. Large datasets are not decoded before training starts, so
/// corrupt samples are only found while batches are built: each one is dropped from its batch and
/// logged once, and too many of them stop the run. Thread-safe.
class CorruptSampleTracker {
 public:
  /// `samples` is the size of the dataset. If `logger` is null, nothing is logged.
  CorruptSampleTracker(int64_t samples, Logger logger, const dataset::CorruptLimit& limit = {});

  /// Records that sample `index` could not be decoded. Throws if the limit is exceeded, and
  /// rethrows errors other than ErrorKind::kInput.
  void skip(int64_t index, const Error& error);

  int64_t skipped() const;
  std::vector<int64_t> corrupt() const;

 private:
  int64_t samples_;
  Logger logger_;
  dataset::CorruptLimit limit_;
  mutable std::mutex mutex_;
  std::set<int64_t> corrupt_;
};

/// Throws an error with the option's name if its value is less than `least`.
inline void check_at_least(const char* name, int64_t value, int64_t least) {
  if (value < least) fail(name, " = ", value, ", expected at least ", least);
}

/// B samples, each in V views. Row v * B + b of `images` is view v of sample b.
struct Batch {
  torch::Tensor images;   // [V * B, C, H, W], float, channels-last in memory
  torch::Tensor labels;   // [B], int64
  torch::Tensor indices;  // [B], int64: sample indices in the dataset
  int64_t views = 1;      // V

  int64_t size() const { return labels.size(0); }  // B
};

/// The samples and format of a batch to build.
struct BatchPlan {
  std::span<const int64_t> indices;  ///< sample indices in the dataset
  int64_t views = 1;
  augment::InputFormat format = {};
};

/// Returns the region of an image of this size that the views of a sample need.
using RequiredSampleRegion = std::function<DecodeRegion(int64_t index, int height, int width)>;

/// Writes view `view` of a sample to `out`: format.values() floats.
using WriteView =
    std::function<void(const Sample& sample, int64_t index, int64_t view, float* out)>;

/// Decodes the samples of the plan, restricted to the region that `need` returns, and writes their
/// views. Samples that fail to decode are dropped and recorded in `corrupt_samples`; if it is null,
/// throws.
Batch make_batch(const dataset::Dataset& dataset, const BatchPlan& plan,
                 CorruptSampleTracker* corrupt_samples, const RequiredSampleRegion& need,
                 const WriteView& write_view);

}  // namespace projnce::loader
