#include "projnce/loader/loaders.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "projnce/augment/sample_views.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/core/seed.h"
#include "projnce/loader/batch.h"

namespace projnce::loader {

namespace {

PrefetchPlan make_plan(const dataset::Dataset& dataset, const EvalLoaderOptions& options) {
  check_at_least("batch_size", options.batch_size, 1);
  check_at_least("threads", options.threads, 1);
  check_at_least("prefetch", options.prefetch, 1);
  const int64_t batches = (dataset.size() + options.batch_size - 1) / options.batch_size;
  return {0, batches, options.threads, options.prefetch};
}

/// Builds evaluation batches; each loader thread has its own.
class EvalBatchMaker {
 public:
  EvalBatchMaker(dataset::DatasetPtr dataset, const EvalLoaderOptions& options)
      : dataset_(std::move(dataset)),
        batch_size_(options.batch_size),
        corrupt_samples_(options.corrupt_samples),
        views_(std::make_shared<augment::EvalViews>(options.format)) {}

  Batch operator()(int64_t number) {
    const int64_t begin = number * batch_size_;
    std::vector<int64_t> indices(
        static_cast<size_t>(std::min(batch_size_, dataset_->size() - begin)));
    std::iota(indices.begin(), indices.end(), begin);
    return make_batch(
        *dataset_, {.indices = indices, .format = views_->format()}, corrupt_samples_,
        [this](int64_t /*index*/, int height, int width) {
          return views_->required_region(height, width);
        },
        [this](const Sample& sample, int64_t /*index*/, int64_t /*view*/, float* out) {
          views_->make_view(sample, out);
        });
  }

 private:
  dataset::DatasetPtr dataset_;
  int64_t batch_size_;
  CorruptSampleTracker* corrupt_samples_;
  std::shared_ptr<augment::EvalViews> views_;  // shared by copies of this object; only one runs
};

EvalLoaderOptions channels_last(EvalLoaderOptions options) {
  options.format.image.order = augment::PixelOrder::kChannelsLast;
  return options;
}

}  // namespace

EvalLoader::EvalLoader(dataset::DatasetPtr dataset, const EvalLoaderOptions& options)
    : prefetcher_(make_plan(*dataset, options),
                  [&] { return EvalBatchMaker(dataset, channels_last(options)); }) {}

namespace {

/// Separates the random stream of the order from that of the views, which use purpose 0.
constexpr uint64_t kOrderPurpose = 1;

Random order_random(uint64_t seed, int64_t epoch) {
  return Random(derive_seed(seed, static_cast<uint64_t>(epoch), kOrderPurpose));
}

}  // namespace

std::vector<int64_t> ShuffledSampler::epoch_order(int64_t epoch) const {
  std::vector<int64_t> order(static_cast<size_t>(size_));
  std::iota(order.begin(), order.end(), int64_t{0});
  auto random = order_random(seed_, epoch);
  random.shuffle(order);
  return order;
}

ClassBalancedSampler::ClassBalancedSampler(const dataset::Dataset& dataset, uint64_t seed)
    : members_(dataset.class_names().size()), seed_(seed) {
  for (int64_t i = 0; i < dataset.size(); ++i) {
    members_[static_cast<size_t>(dataset.label(i))].push_back(i);
  }
  std::erase_if(members_, [](const auto& members) { return members.empty(); });
  for (const auto& members : members_) {
    largest_ = std::max(largest_, static_cast<int64_t>(members.size()));
  }
}

int64_t ClassBalancedSampler::epoch_size() const {
  return static_cast<int64_t>(members_.size()) * largest_;
}

std::vector<int64_t> ClassBalancedSampler::epoch_order(int64_t epoch) const {
  auto random = order_random(seed_, epoch);
  auto queues = members_;
  random.shuffle(queues);
  std::vector<size_t> taken(queues.size(), 0);

  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(epoch_size()));
  for (int64_t round = 0; round < largest_; ++round) {
    for (size_t k = 0; k < queues.size(); ++k) {
      auto& queue = queues[k];
      const size_t position = taken[k]++ % queue.size();
      if (position == 0) random.shuffle(queue);
      order.push_back(queue[position]);
    }
  }
  return order;
}

namespace {

/// A contrastive loss needs at least two samples.
constexpr int64_t kMinBatchSize = 2;

void check(const TrainLoaderOptions& options) {
  check_at_least("batch_size", options.batch_size, kMinBatchSize);
  check_at_least("views", options.augment.views, 1);
  check_at_least("threads", options.threads, 0);
  check_at_least("prefetch", options.prefetch, 1);
  augment::check_input_format(options.format);
}

SamplerPtr make_sampler(const dataset::Dataset& dataset, const TrainLoaderOptions& options) {
  if (options.balanced) return std::make_unique<ClassBalancedSampler>(dataset, options.seed);
  return std::make_unique<ShuffledSampler>(dataset.size(), options.seed);
}

int64_t count_batches(int64_t samples, const TrainLoaderOptions& options) {
  const int64_t rest = samples % options.batch_size;
  const bool keeps_rest = !options.drop_last && rest >= kMinBatchSize;
  return samples / options.batch_size + (keeps_rest ? 1 : 0);
}

/// Cache of the sample orders of the epochs in progress, shared by the loader threads.
class EpochOrders {
 public:
  using Order = std::shared_ptr<const std::vector<int64_t>>;

  explicit EpochOrders(const Sampler& sampler) : sampler_(sampler) {}

  Order of(int64_t epoch) {
    const std::lock_guard lock(mutex_);
    auto& entry = recent_[static_cast<size_t>(epoch) % recent_.size()];
    if (!entry.order || entry.epoch != epoch) {
      entry = {epoch, std::make_shared<const std::vector<int64_t>>(sampler_.epoch_order(epoch))};
    }
    return entry.order;
  }

 private:
  struct Entry {
    int64_t epoch = 0;
    Order order;
  };

  const Sampler& sampler_;
  std::mutex mutex_;
  std::array<Entry, 2> recent_;  // two entries: prefetching reaches into the next epoch
};

/// Builds training batches; each loader thread has its own, with its own buffers.
class TrainBatchMaker {
 public:
  TrainBatchMaker(dataset::DatasetPtr dataset, const TrainLoaderOptions& options,
                  int64_t batches_per_epoch, std::shared_ptr<EpochOrders> orders,
                  CorruptSampleTracker& corrupt_samples)
      : dataset_(std::move(dataset)),
        batch_size_(options.batch_size),
        share_(options.share),
        views_per_sample_(options.augment.views),
        seed_(options.seed),
        batches_(batches_per_epoch),
        orders_(std::move(orders)),
        corrupt_samples_(&corrupt_samples),
        views_(std::make_shared<augment::TrainViews>(options.augment, options.format,
                                                     options.background)) {}

  Batch operator()(int64_t number) {
    const int64_t epoch = number / batches_;
    const auto order = orders_->of(epoch);
    const int64_t begin = number % batches_ * batch_size_;
    const int64_t count = std::min(batch_size_, static_cast<int64_t>(order->size()) - begin);
    const auto indices = share_of({order->data() + begin, static_cast<size_t>(count)});
    const auto need = [&](int64_t index, int height, int width) {
      std::vector<uint64_t> seeds;
      for (int64_t v = 0; v < views_per_sample_; ++v) {
        seeds.push_back(augment::view_seed(seed_, epoch, index, v));
      }
      return views_->required_region(seeds, height, width);
    };
    return make_batch(*dataset_, {indices, views_per_sample_, views_->format()}, corrupt_samples_,
                      need, [&](const Sample& sample, int64_t index, int64_t view, float* out) {
                        views_->make_view(sample, augment::view_seed(seed_, epoch, index, view),
                                          out);
                      });
  }

 private:
  std::span<const int64_t> share_of(std::span<const int64_t> batch) const {
    const auto count = static_cast<int64_t>(batch.size());
    const int64_t first = count * share_.part / share_.parts;
    const int64_t end = count * (share_.part + 1) / share_.parts;
    return batch.subspan(static_cast<size_t>(first), static_cast<size_t>(end - first));
  }

  dataset::DatasetPtr dataset_;
  int64_t batch_size_;
  BatchShare share_;
  int64_t views_per_sample_;
  uint64_t seed_;
  int64_t batches_;
  std::shared_ptr<EpochOrders> orders_;
  CorruptSampleTracker* corrupt_samples_;
  std::shared_ptr<augment::TrainViews> views_;  // shared by copies of this object; only one runs
};

}  // namespace

TrainLoader::TrainLoader(dataset::DatasetPtr dataset, TrainLoaderOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)) {
  check(options_);
  options_.format.image.order = augment::PixelOrder::kChannelsLast;
  sampler_ = make_sampler(*dataset_, options_);
  corrupt_samples_ = std::make_unique<CorruptSampleTracker>(dataset_->size(), options_.logger,
                                                            options_.max_corrupt);
  batches_ = count_batches(sampler_->epoch_size(), options_);
  if (batches_ == 0) {
    fail(Hint{"use more samples or a smaller batch_size"}, "an epoch of ",
         counted(sampler_->epoch_size(), "sample"),
         " has no complete batch of batch_size = ", options_.batch_size);
  }
}

void TrainLoader::start_epoch(int64_t epoch, int64_t first_batch) {
  check_at_least("epoch", epoch, 0);
  if (first_batch < 0 || first_batch > batches_) {
    fail("first_batch = ", first_batch, ", expected 0 to ", batches_);
  }
  epoch_end_ = (epoch + 1) * batches_;
  const int64_t first = epoch * batches_ + first_batch;
  if (prefetcher_ && position_ == first) return;
  waited_before_ = seconds_waited();
  position_ = first;
  prefetcher_.reset();
  const auto orders = std::make_shared<EpochOrders>(*sampler_);
  const int64_t end = std::max(options_.epochs, epoch + 1) * batches_;
  prefetcher_ = std::make_unique<Prefetcher>(
      PrefetchPlan{first, end, options_.threads, options_.prefetch},
      [&] { return TrainBatchMaker(dataset_, options_, batches_, orders, *corrupt_samples_); });
}

std::optional<Batch> TrainLoader::next() {
  if (!prefetcher_ || position_ >= epoch_end_) return std::nullopt;
  auto batch = prefetcher_->next();
  ++position_;
  return batch;
}

double TrainLoader::seconds_waited() const {
  return waited_before_ + (prefetcher_ ? prefetcher_->seconds_waited() : 0);
}

}  // namespace projnce::loader
