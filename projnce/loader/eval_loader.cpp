#include "projnce/loader/eval_loader.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "projnce/augment/sample_views.h"
#include "projnce/loader/loader_checks.h"

namespace projnce {

namespace {

PrefetchPlan make_plan(const Dataset& dataset, const EvalLoaderOptions& options) {
  check_at_least("batch_size", options.batch_size, 1);
  check_at_least("threads", options.threads, 1);
  check_at_least("prefetch", options.prefetch, 1);
  const int64_t batches = (dataset.size() + options.batch_size - 1) / options.batch_size;
  return {0, batches, options.threads, options.prefetch};
}

/// What one loader thread holds.
class EvalBatchMaker {
 public:
  EvalBatchMaker(DatasetPtr dataset, const EvalLoaderOptions& options)
      : dataset_(std::move(dataset)),
        batch_size_(options.batch_size),
        damage_(options.damage),
        views_(std::make_shared<EvalViews>(options.format)) {}

  Batch operator()(int64_t number) {
    const int64_t begin = number * batch_size_;
    std::vector<int64_t> indices(
        static_cast<size_t>(std::min(batch_size_, dataset_->size() - begin)));
    std::iota(indices.begin(), indices.end(), begin);
    return make_batch(
        *dataset_, {.indices = indices, .format = views_->format()}, damage_,
        [this](int64_t /*index*/, int height, int width) { return views_->need(height, width); },
        [this](const Sample& sample, int64_t /*index*/, int64_t /*view*/, float* out) {
          views_->make_view(sample, out);
        });
  }

 private:
  DatasetPtr dataset_;
  int64_t batch_size_;
  DamageWatch* damage_;
  std::shared_ptr<EvalViews> views_;  // shared only by copies of this maker: one at work
};

EvalLoaderOptions channels_last(EvalLoaderOptions options) {
  options.format.picture.order = PixelOrder::kChannelsLast;
  return options;
}

}  // namespace

EvalLoader::EvalLoader(DatasetPtr dataset, const EvalLoaderOptions& options)
    : prefetcher_(make_plan(*dataset, options),
                  [&] { return EvalBatchMaker(dataset, channels_last(options)); }) {}

}  // namespace projnce
