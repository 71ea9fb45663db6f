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
#include "projnce/loader/ordered_prefetcher.h"

namespace projnce::loader {

struct EvalLoaderOptions {
  int64_t batch_size = 256;  ///< at least 1
  augment::InputFormat format =
      {};                ///< the pixel order is not looked at: batches are channels-last
  int64_t threads = 1;   ///< that make batches, besides the caller's; at least 1
  int64_t prefetch = 4;  ///< batches held or being made ahead of `next`; at least 1
  /// Notes damaged samples, which are left out; it outlives the loader. Null: they throw.
  CorruptSampleTracker* damage = nullptr;
};

/// One pass over a dataset in the order of its samples: one view each, nothing random. Starts at
/// once, in threads ahead of the consumer. Batches say which samples they hold. Use from one
/// thread.
class EvalLoader {
 public:
  EvalLoader(dataset::DatasetPtr dataset, const EvalLoaderOptions& options);

  /// The next batch, or nothing at the end. Throws where a sample, or too many, are damaged.
  std::optional<Batch> next() { return prefetcher_.next(); }

 private:
  OrderedPrefetcher<Batch> prefetcher_;
};

/// The order in which an epoch visits the samples. Batches are consecutive runs of it.
class Sampler {
 public:
  virtual ~Sampler() = default;

  virtual int64_t epoch_size() const = 0;
  /// Indices into the dataset, epoch_size() of them; a function of the seed and the epoch alone.
  virtual std::vector<int64_t> epoch_order(int64_t epoch) const = 0;
};

using SamplerPtr = std::unique_ptr<const Sampler>;

/// Every sample once, in an order of its own for each epoch.
class ShuffledSampler : public Sampler {
 public:
  ShuffledSampler(int64_t size, uint64_t seed) : size_(size), seed_(seed) {}

  int64_t epoch_size() const override { return size_; }
  std::vector<int64_t> epoch_order(int64_t epoch) const override;

 private:
  int64_t size_;
  uint64_t seed_;
};

/// Every class equally often in every batch, every sample at least once in every epoch.
///
/// The epoch draws an order of the K classes that have samples; place p of the epoch belongs to
/// class number p mod K of that order. So in any run of consecutive places, which a batch is, two
/// classes differ by at most one sample. Each class hands out its samples from a shuffled queue
/// that is shuffled again when it is empty. The epoch has K * (size of the largest class) places:
/// the largest class is seen once, a class of n samples size / n times, rounded up or down for each
/// sample. With equal classes that is the dataset, once.
class ClassBalancedSampler : public Sampler {
 public:
  ClassBalancedSampler(const dataset::Dataset& dataset, uint64_t seed);

  int64_t epoch_size() const override;
  std::vector<int64_t> epoch_order(int64_t epoch) const override;

 private:
  std::vector<std::vector<int64_t>> members_;  // of each class that has any
  int64_t largest_ = 0;
  uint64_t seed_;
};

/// More than anybody trains, few enough to number their batches.
inline constexpr int64_t kUnlimitedEpochs = int64_t{1} << 32;

/// Part number `part` of `parts` nearly equal, consecutive runs of a batch's samples.
struct BatchShare {
  int64_t part = 0;
  int64_t parts = 1;
};

struct TrainLoaderOptions {
  int64_t batch_size =
      256;  ///< samples of all shares, at least 2; each comes in augment.views views
  augment::InputFormat format =
      {};  ///< the pixel order is not looked at: batches are channels-last
  augment::AugmentOptions augment = {};
  uint64_t seed = 0;
  int64_t threads = 1;     ///< that make batches, besides the caller's; 0: the caller's alone
  int64_t prefetch = 4;    ///< batches held or being made ahead of `next`; at least 1
  bool balanced = false;   ///< ClassBalancedSampler instead of ShuffledSampler
  bool drop_last = false;  ///< leave out an incomplete last batch; else only one of a single sample
  int64_t epochs = kUnlimitedEpochs;         ///< nothing is made ahead after the last of them
  BatchShare share = {};                     ///< the part of every batch that this process loads
  augment::BackgroundClips background = {};  ///< noises for sounds; null for none
  Logger logger = {};                        ///< for warnings of damaged samples; may be null
  dataset::CorruptLimit max_corrupt = {};    ///< more damaged samples stop the run
};

/// Augmented batches, made in threads ahead of the training step, across the ends of epochs too. A
/// batch depends on the seed, the epoch and its number in the epoch, not on the threads, so
/// training can go on in the middle of an epoch as if it had never stopped. A damaged sample is
/// left out of its batch. A share of a small batch may hold no sample at all. Use from one thread.
class TrainLoader {
 public:
  TrainLoader(dataset::DatasetPtr dataset, TrainLoaderOptions options);

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

  dataset::DatasetPtr dataset_;
  TrainLoaderOptions options_;
  SamplerPtr sampler_;
  int64_t batches_ = 0;
  // Batches are numbered through all epochs: epoch * batches_ + number in the epoch.
  int64_t position_ = 0;
  int64_t epoch_end_ = 0;
  double waited_before_ = 0;  // for batches made before the last jump
  std::unique_ptr<CorruptSampleTracker> damage_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace projnce::loader
