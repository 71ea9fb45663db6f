#include "bench/training/loaded_images.h"

#include "projnce/core/error.h"
#include "projnce/dataset/open_dataset.h"
#include "tests/support/memory_dataset.h"

namespace projnce::bench {

namespace {

constexpr int kSide = 28;
constexpr int64_t kMade = 20000;
constexpr int64_t kClasses = 10;

}  // namespace

loader::TrainLoaderOptions LoadedImages::loader_options(int64_t batch_size, int threads) const {
  return {.batch_size = batch_size,
          .format = augment::InputFormat::images({1, kSide, {0.286}, {0.353}}),
          .seed = 1,
          .threads = threads,
          .drop_last = true};
}

LoadedImages load_images(const std::filesystem::path& data_root) {
  try {
    const auto options = dataset::dataset_options("fashion-mnist");
    return {"Fashion-MNIST", dataset::open_dataset(options, {.data_root = data_root}).train};
  } catch (const Error&) {
    return {"random images", testing::random_dataset(kMade, kClasses, kSide, 1)};
  }
}

}  // namespace projnce::bench
