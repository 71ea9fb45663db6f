#include "projnce/loader/train_loader.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "projnce/augment/picture_part.h"
#include "projnce/augment/train_transform.h"
#include "projnce/core/error.h"
#include "projnce/loader/loader_checks.h"

namespace projnce {

namespace {

/// A contrastive batch of one sample has nothing to compare it with.
constexpr int64_t kSmallestBatch = 2;

void check(const TrainLoaderOptions& options) {
  check_at_least("batch_size", options.batch_size, kSmallestBatch);
  check_at_least("views", options.augment.views, 1);
  check_at_least("threads", options.threads, 1);
  check_at_least("prefetch", options.prefetch, 1);
  check_view_format(options.format);
}

SamplerPtr make_sampler(const Dataset& dataset, const TrainLoaderOptions& options) {
  if (options.balanced) return std::make_unique<ClassBalancedSampler>(dataset, options.seed);
  return std::make_unique<ShuffledSampler>(dataset.size(), options.seed);
}

int64_t count_batches(int64_t samples, const TrainLoaderOptions& options) {
  const int64_t rest = samples % options.batch_size;
  const bool keeps_rest = !options.drop_last && rest >= kSmallestBatch;
  return samples / options.batch_size + (keeps_rest ? 1 : 0);
}

/// What one loader thread holds: the epoch's order, shared, and buffers of its own.
class TrainBatchMaker {
 public:
  TrainBatchMaker(DatasetPtr dataset, const TrainLoaderOptions& options, int64_t epoch,
                  std::shared_ptr<const std::vector<int64_t>> order)
      : dataset_(std::move(dataset)),
        batch_size_(options.batch_size),
        views_(options.augment.views),
        augment_(options.augment),
        seed_(options.seed),
        epoch_(epoch),
        order_(std::move(order)),
        transform_(options.augment, options.format) {}

  Batch operator()(int64_t number) {
    const int64_t begin = number * batch_size_;
    const int64_t count = std::min(batch_size_, static_cast<int64_t>(order_->size()) - begin);
    const std::span indices(order_->data() + begin, static_cast<size_t>(count));
    auto batch = make_batch(*dataset_, indices, views_, transform_.format());
    for (int64_t b = 0; b < count; ++b) {
      const int64_t index = indices[static_cast<size_t>(b)];
      std::vector<uint64_t> seeds;
      for (int64_t v = 0; v < views_; ++v) seeds.push_back(view_seed(seed_, epoch_, index, v));
      const auto image = decode(index, seeds);
      for (int64_t v = 0; v < views_; ++v) {
        transform_.make_view(image, seeds[static_cast<size_t>(v)], batch.view_data(v, b));
      }
    }
    return batch;
  }

 private:
  /// The part of a sample that the views with these seeds look at.
  Sample decode(int64_t index, std::span<const uint64_t> seeds) const {
    return dataset_->decode_part(index, [&](int height, int width) {
      return train_need(augment_, transform_.format().image_size, seeds, height, width);
    });
  }

  DatasetPtr dataset_;
  int64_t batch_size_;
  int64_t views_;
  AugmentOptions augment_;
  uint64_t seed_;
  int64_t epoch_;
  std::shared_ptr<const std::vector<int64_t>> order_;
  TrainTransform transform_;
};

}  // namespace

TrainLoader::TrainLoader(DatasetPtr dataset, TrainLoaderOptions options)
    : dataset_(std::move(dataset)), options_(std::move(options)) {
  check(options_);
  options_.format.order = PixelOrder::kChannelsLast;
  sampler_ = make_sampler(*dataset_, options_);
  batches_ = count_batches(sampler_->epoch_size(), options_);
  if (batches_ == 0) {
    fail(Hint{"give more samples or a smaller batch_size"}, "an epoch of ", sampler_->epoch_size(),
         " samples makes no batch of batch_size = ", options_.batch_size);
  }
}

void TrainLoader::start_epoch(int64_t epoch, int64_t first_batch) {
  check_at_least("epoch", epoch, 0);
  if (first_batch < 0 || first_batch > batches_) {
    fail("first batch ", first_batch, " of an epoch, expected 0 to ", batches_);
  }
  give_up();
  const auto order = std::make_shared<const std::vector<int64_t>>(sampler_->epoch_order(epoch));
  prefetcher_ = std::make_unique<Prefetcher>(
      PrefetchPlan{first_batch, batches_, options_.threads, options_.prefetch},
      [&] { return TrainBatchMaker(dataset_, options_, epoch, order); });
}

std::optional<Batch> TrainLoader::next() {
  return prefetcher_ ? prefetcher_->next() : std::nullopt;
}

double TrainLoader::seconds_waited() const {
  return waited_before_ + (prefetcher_ ? prefetcher_->seconds_waited() : 0);
}

void TrainLoader::give_up() {
  waited_before_ = seconds_waited();
  prefetcher_.reset();
}

}  // namespace projnce
