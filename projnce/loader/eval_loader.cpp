#include "projnce/loader/eval_loader.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "projnce/augment/eval_transform.h"
#include "projnce/augment/picture_part.h"
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
      : dataset_(std::move(dataset)), batch_size_(options.batch_size), transform_(options.format) {}

  Batch operator()(int64_t number) {
    const int64_t begin = number * batch_size_;
    std::vector<int64_t> indices(
        static_cast<size_t>(std::min(batch_size_, dataset_->size() - begin)));
    std::iota(indices.begin(), indices.end(), begin);
    auto batch = make_batch(*dataset_, indices, 1, transform_.format());
    const PictureNeeds needs = [size = transform_.format().image_size](int height, int width) {
      return eval_need(size, height, width);
    };
    for (int64_t b = 0; b < batch.size(); ++b) {
      transform_.make_view(dataset_->decode_part(begin + b, needs), batch.view_data(0, b));
    }
    return batch;
  }

 private:
  DatasetPtr dataset_;
  int64_t batch_size_;
  EvalTransform transform_;
};

EvalLoaderOptions channels_last(EvalLoaderOptions options) {
  options.format.order = PixelOrder::kChannelsLast;
  return options;
}

}  // namespace

EvalLoader::EvalLoader(DatasetPtr dataset, const EvalLoaderOptions& options)
    : prefetcher_(make_plan(*dataset, options),
                  [&] { return EvalBatchMaker(dataset, channels_last(options)); }) {}

}  // namespace projnce
