// SupCon's two-view augmentation on one core, and the prefetching loader. A "sample" is an image
// with both views.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "projnce/augment/pixel_ops.h"
#include "projnce/augment/sample_views.h"
#include "projnce/core/seed.h"
#include "projnce/loader/loaders.h"
#include "tests/support/memory_dataset.h"
#include "tests/support/plain_format.h"
#include "tests/support/test_images.h"

namespace projnce::bench {
namespace {

using testing::image_input;
using testing::plain_format;
using testing::random_dataset;
using testing::random_image;

void two_views(benchmark::State& state, int size, int channels) {
  const auto format = plain_format(channels, size);
  std::vector<Image> images;
  for (uint64_t i = 0; i < 256; ++i) images.push_back(random_image(size, size, channels, i));
  augment::TrainTransform transform({}, format);
  std::vector<float> out(2 * format.values());
  int64_t index = 0;
  for (auto _ : state) {
    const auto& image = images[static_cast<size_t>(index % 256)];
    for (int64_t v = 0; v < 2; ++v) {
      transform.make_view(image, augment::view_seed(1, 0, index, v),
                          out.data() + v * format.values());
    }
    ++index;
    benchmark::ClobberMemory();
  }
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(index), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(two_views, color_32, 32, 3);
BENCHMARK_CAPTURE(two_views, gray_28, 28, 1);
BENCHMARK_CAPTURE(two_views, color_224, 224, 3);

void pixel_op(benchmark::State& state, const std::string& name) {
  augment::FloatImage image;
  image.reshape(3, 32, 32);
  Random random(1);
  for (size_t i = 0; i < 3 * image.plane_size(); ++i) {
    image.plane(0)[i] = static_cast<float>(random.uniform());
  }
  for (auto _ : state) {
    augment::apply_pixel_op(name, 1.0, image);
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(pixel_op, brightness, "brightness");
BENCHMARK_CAPTURE(pixel_op, contrast, "contrast");
BENCHMARK_CAPTURE(pixel_op, saturation, "saturation");
BENCHMARK_CAPTURE(pixel_op, hue, "hue");

void train_loader(benchmark::State& state) {
  loader::TrainLoader loader(random_dataset(4096, 10, 32, 3),
                             {.format = image_input(3, 32), .threads = state.range(0)});
  int64_t batches = 0;
  for (auto _ : state) {
    loader.start_epoch(batches);
    while (loader.next()) ++batches;
  }
  state.counters["batches/s"] =
      benchmark::Counter(static_cast<double>(batches), benchmark::Counter::kIsRate);
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(256 * batches), benchmark::Counter::kIsRate);
}
BENCHMARK(train_loader)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace projnce::bench
