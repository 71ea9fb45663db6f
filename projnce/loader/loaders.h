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
  int64_t batch_size = 256;          ///< at least 1
  augment::InputFormat format = {};  ///< the pixel order is ignored: batches are channels-last
  int64_t threads = 1;               ///< number of loader threads; at least 1
  int64_t prefetch = 4;              ///< batches ready or in progress ahead of `next`; at least 1
  /// Records corrupt samples, which are dropped; must outlive the loader. If null, they throw.
  CorruptSampleTracker* corrupt_samples = nullptr;
};

/// Loads a dataset once, in dataset order, with one deterministic view per sample. Prefetching
/// starts at construction. Not thread-safe.
class EvalLoader {
 public:
  EvalLoader(dataset::DatasetPtr dataset, const EvalLoaderOptions& options);

  /// Returns the next batch, or nullopt at the end. Throws if a sample (or too many) are corrupt.
  std::optional<Batch> next() { return prefetcher_.next(); }

 private:
  OrderedPrefetcher<Batch> prefetcher_;
};

/// Determines the order of the samples in an epoch. Batches are consecutive ranges of it.
class Sampler {
 public:
  virtual ~Sampler() = default;

  virtual int64_t epoch_size() const = 0;
  /// Returns epoch_size() indices into the dataset, which depend only on the seed and the epoch.
  virtual std::vector<int64_t> epoch_order(int64_t epoch) const = 0;
};

using SamplerPtr = std::unique_ptr<const Sampler>;

/// Visits every sample once, in a different random order for each epoch.
class ShuffledSampler : public Sampler {
 public:
  ShuffledSampler(int64_t size, uint64_t seed) : size_(size), seed_(seed) {}

  int64_t epoch_size() const override { return size_; }
  std::vector<int64_t> epoch_order(int64_t epoch) const override;

 private:
  int64_t size_;
  uint64_t seed_;
};

/// Balances the classes in every batch and visits every sample at least once per epoch.
///
/// Each epoch draws a random order of the K non-empty classes; position p of the epoch belongs to
/// class p mod K of that order. Hence the counts of two classes in a batch differ by at most one.
/// Each class draws its samples from a shuffled queue that is reshuffled when it is exhausted. The
/// epoch has K * S positions, where S is the size of the largest class: its samples are visited
/// once, and those of a class of n samples S / n times, rounded up or down. With equal class sizes,
/// every sample is visited once.
class ClassBalancedSampler : public Sampler {
 public:
  ClassBalancedSampler(const dataset::Dataset& dataset, uint64_t seed);

  int64_t epoch_size() const override;
  std::vector<int64_t> epoch_order(int64_t epoch) const override;

 private:
  std::vector<std::vector<int64_t>> members_;  // sample indices of each non-empty class
  int64_t largest_ = 0;
  uint64_t seed_;
};

/// More epochs than any training run, but few enough that batch numbers do not overflow.
inline constexpr int64_t kUnlimitedEpochs = int64_t{1} << 32;

/// Part `part` of a batch that is split into `parts` nearly equal, consecutive ranges of samples.
struct BatchShare {
  int64_t part = 0;
  int64_t parts = 1;
};

struct TrainLoaderOptions {
  int64_t batch_size = 256;          ///< number of samples over all shares; at least 2
  augment::InputFormat format = {};  ///< the pixel order is ignored: batches are channels-last
  augment::AugmentOptions augment = {};
  uint64_t seed = 0;
  int64_t threads = 1;    ///< number of loader threads; 0 = load in the calling thread
  int64_t prefetch = 4;   ///< batches ready or in progress ahead of `next`; at least 1
  bool balanced = false;  ///< if true, uses ClassBalancedSampler instead of ShuffledSampler
  /// If true, drops an incomplete last batch; otherwise only one with a single sample.
  bool drop_last = false;
  int64_t epochs = kUnlimitedEpochs;         ///< prefetching stops after the last epoch
  BatchShare share = {};                     ///< the part of every batch that this process loads
  augment::BackgroundClips background = {};  ///< background noise for audio; may be null
  Logger logger = {};                        ///< for warnings about corrupt samples; may be null
  dataset::CorruptLimit max_corrupt = {};    ///< maximum number of corrupt samples
};

/// Loads augmented batches, prefetched in background threads across epoch boundaries. A batch
/// depends only on the seed, the epoch and its index in the epoch, not on the threads, so training
/// resumes bit-for-bit in the middle of an epoch. Corrupt samples are dropped from their batch. A
/// share of a small batch may be empty. Not thread-safe.
class TrainLoader {
 public:
  TrainLoader(dataset::DatasetPtr dataset, TrainLoaderOptions options);

  int64_t batches_per_epoch() const { return batches_; }
  int64_t views() const { return options_.augment.views; }

  /// Makes `next` return batches first_batch, first_batch + 1, ... of the epoch. Prefetched batches
  /// are kept if this continues where the previous epoch ended, and discarded otherwise.
  void start_epoch(int64_t epoch, int64_t first_batch = 0);

  /// Returns the next batch, or nullopt at the end of the epoch or before `start_epoch`. Throws if
  /// too many samples are corrupt.
  std::optional<Batch> next();

  /// Returns the total time that `next` has waited for batches.
  double seconds_waited() const;

  /// Returns the dataset indices of the corrupt samples found so far.
  std::vector<int64_t> corrupt() const { return corrupt_samples_->corrupt(); }

 private:
  using Prefetcher = OrderedPrefetcher<Batch>;

  dataset::DatasetPtr dataset_;
  TrainLoaderOptions options_;
  SamplerPtr sampler_;
  int64_t batches_ = 0;
  // Batches are numbered across epochs: epoch * batches_ + index in the epoch.
  int64_t position_ = 0;
  int64_t epoch_end_ = 0;
  double waited_before_ = 0;  // waiting time of previous prefetchers
  std::unique_ptr<CorruptSampleTracker> corrupt_samples_;
  std::unique_ptr<Prefetcher> prefetcher_;
};

}  // namespace projnce::loader
