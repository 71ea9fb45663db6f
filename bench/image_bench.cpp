// JPEG bytes to a view of 224 pixels on one core: single steps and all together, for several image
// sizes. --serve: our side of a comparison, see image_server.h. --open: time to open a dataset, see
// opening.h.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "bench/image_server.h"
#include "bench/opening.h"
#include "projnce/augment/sample_views.h"
#include "projnce/io/image/image_file.h"
#include "tests/support/data_files.h"
#include "tests/support/plain_format.h"
#include "tests/support/test_images.h"

namespace projnce::bench {
namespace {

constexpr int kModelSize = 224;
const augment::AugmentOptions kCropAndFlip{.jitter_probability = 0, .grayscale_probability = 0};

/// Smooth waves with some noise, which compress about as well as a photograph.
Image scene(int height, int width) {
  auto image = testing::random_image(height, width, 3, 1);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    const int place = static_cast<int>(i / 3);
    const double wave = std::sin(place % width / 17.0) * std::cos(place / width / 23.0);
    image.pixels[i] = static_cast<uint8_t>(115 + 100 * wave + image.pixels[i] / 16);
  }
  return image;
}

testing::Bytes jpeg_of(int width) {
  return testing::encode_jpeg(scene(width * 3 / 4, width), {testing::Subsampling::k420});
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("width")->Arg(224)->Arg(500)->Arg(1600)->Unit(benchmark::kMicrosecond);
}

void decode_whole(benchmark::State& state) {
  const auto jpeg = jpeg_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(io::decode_image(jpeg, "bench"));
}
BENCHMARK(decode_whole)->Apply(sizes);

void decode_for_crop(benchmark::State& state) {
  const auto jpeg = jpeg_of(static_cast<int>(state.range(0)));
  uint64_t seed = 0;
  for (auto _ : state) {
    ++seed;
    benchmark::DoNotOptimize(io::decode_image(jpeg, "bench", [&](int height, int width) {
      return augment::train_region(kCropAndFlip, kModelSize, {&seed, 1}, height, width);
    }));
  }
}
BENCHMARK(decode_for_crop)->Apply(sizes);

/// Times the view only, from pixels in memory.
void make_view(benchmark::State& state) {
  const auto width = static_cast<int>(state.range(0));
  const auto image = scene(width * 3 / 4, width);
  const auto format = testing::plain_format(3, kModelSize);
  augment::TrainTransform transform(kCropAndFlip, format);
  std::vector<float> out(format.values());
  uint64_t seed = 0;
  for (auto _ : state) {
    transform.make_view(image, ++seed, out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(make_view)->Apply(sizes);

void train_view_of_jpeg(benchmark::State& state) {
  const auto jpeg = jpeg_of(static_cast<int>(state.range(0)));
  const auto format = testing::plain_format(3, kModelSize);
  augment::TrainTransform transform(kCropAndFlip, format);
  std::vector<float> out(format.values());
  uint64_t seed = 0;
  for (auto _ : state) {
    ++seed;
    const auto image = io::decode_image(jpeg, "bench", [&](int height, int width) {
      return transform.required_region({&seed, 1}, height, width);
    });
    transform.make_view(image, seed, out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(train_view_of_jpeg)->Apply(sizes);

void eval_view_of_jpeg(benchmark::State& state) {
  const auto jpeg = jpeg_of(static_cast<int>(state.range(0)));
  const auto format = testing::plain_format(3, kModelSize);
  augment::EvalTransform transform(format);
  std::vector<float> out(format.values());
  for (auto _ : state) {
    const auto image = io::decode_image(jpeg, "bench", [&](int height, int width) {
      return transform.required_region(height, width);
    });
    transform.make_view(image, out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(eval_view_of_jpeg)->Apply(sizes);

}  // namespace
}  // namespace projnce::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--serve") {
    return projnce::bench::serve_images(argc, argv);
  }
  if (argc > 1 && std::string_view(argv[1]) == "--open") {
    return projnce::bench::measure_opening(argc, argv);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
