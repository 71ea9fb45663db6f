#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

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
  ClassBalancedSampler(const Dataset& dataset, uint64_t seed);

  int64_t epoch_size() const override;
  std::vector<int64_t> epoch_order(int64_t epoch) const override;

 private:
  std::vector<std::vector<int64_t>> members_;  // of each class that has any
  int64_t largest_ = 0;
  uint64_t seed_;
};

}  // namespace projnce
