#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "projnce/augment/augment_options.h"
#include "projnce/augment/input_format.h"
#include "projnce/augment/sample_views.h"
#include "projnce/dataset/dataset.h"
#include "projnce/loader/batch.h"
#include "projnce/loader/damage_watch.h"
#include "projnce/loader/ordered_prefetcher.h"
#include "projnce/loader/sampler.h"

namespace projnce {

/// More than anybody trains, few enough to number their batches.
inline constexpr int64_t kManyEpochs = int64_t{1} << 32;

/// Part number `part` of `parts` nearly equal, consecutive runs of a batch's samples.
struct BatchShare {
  int64_t part = 0;
  int64_t parts = 1;
};

struct TrainLoaderOptions {
  int64_t batch_size =
      256;  ///< samples of all shares, at least 2; each comes in augment.views views
  InputFormat format = {};  ///< the pixel order is not looked at: batches are channels-last
  AugmentOptions augment = {};
  uint64_t seed = 0;
  int64_t threads = 1;     ///< that make batches, besides the caller's; 0: the caller's alone
  int64_t prefetch = 4;    ///< batches held or being made ahead of `next`; at least 1
  bool balanced = false;   ///< ClassBalancedSampler instead of ShuffledSampler
  bool drop_last = false;  ///< leave out an incomplete last batch; else only one of a single sample
  int64_t epochs = kManyEpochs;     ///< nothing is made ahead after the last of them
  BatchShare share = {};            ///< the part of every batch that this process loads
  BackgroundClips background = {};  ///< noises for sounds; null for none
  Logger logger = {};               ///< for warnings of damaged samples; may be null
  CorruptLimit max_corrupt = {};    ///< more damaged samples stop the run
};

/// Augmented batches, made in threads ahead of the training step, across the ends of epochs too. A
/// batch depends on the seed, the epoch and its number in the epoch, not on the threads, so
/// training can go on in the middle of an epoch as if it had never stopped. A damaged sample is
/// left out of its batch. A share of a small batch may hold no sample at all. Use from one thread.
class TrainLoader {
 public:
  TrainLoader(DatasetPtr dataset, TrainLoaderOptions options);

  int64_t batches_per_epoch() const { return batches_; }
  int64_t views() const { return options_.augment.views; }

  /// From now on `next` gives batches first_batch, first_batch + 1, ... of the epoch. Following the
  /// epoch before costs nothing; after a jump whatever was under way is given up.
  void start_epoch(int64_t epoch, int64_t first_batch = 0);

  /// The next batch, or nothing at the end of the epoch or before the first one. Throws where too
  /// many samples are damaged.
  std::optional<Batch> next();

  /// How long `next` has waited for batches since the loader was made.
  double seconds_waited() const;

  /// Damaged samples that were met and left out, as places in the dataset.
  std::vector<int64_t> damaged() const { return damage_->damaged(); }

 private:
  using Prefetcher = OrderedPrefetcher<Batch>;

  DatasetPtr dataset_;
  TrainLoaderOptions options_;
  SamplerPtr sampler_;
  int64_t batches_ = 0;
  // Batches are numbered through all epochs: epoch * batches_ + number in the epoch.
  int64_t position_ = 0;
  int64_t epoch_end_ = 0;
  double waited_before_ = 0;  // for batches made before the last jump
  std::unique_ptr<DamageWatch> damage_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace projnce
