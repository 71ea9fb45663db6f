#include "projnce/augment/train_transform.h"

#include <array>
#include <utility>

#include "projnce/augment/crop.h"
#include "projnce/augment/pixel_ops.h"

namespace projnce {

namespace {

struct Adjustment {
  void (*apply)(FloatImage& image, double factor);
  double factor;
};

}  // namespace

TrainTransform::TrainTransform(const AugmentOptions& options, const ViewFormat& format)
    : options_(options), writer_(format) {}

void TrainTransform::make_view(const Image& image, uint64_t seed, float* out) {
  check_image(image);
  Random random(seed);
  crop(image, random);
  writer_.reduce_channels(view_);
  if (random.uniform() < options_.jitter_probability) jitter(random);
  if (random.uniform() < options_.grayscale_probability) make_grayscale(view_);
  writer_.write(view_, out);
}

void TrainTransform::crop(const Image& image, Random& random) {
  const auto box = random_crop(options_, image.full_height(), image.full_width(), random);
  const auto mirror =
      random.uniform() < options_.flip_probability ? Mirror::kHorizontal : Mirror::kNo;
  const int size = format().image_size;
  const ResizeAxis vertical{double(box.top), double(box.height), size, 0, size};
  const ResizeAxis horizontal{double(box.left), double(box.width), size, 0, size};
  resampler_.resize(image, in_rows_of(image, vertical), in_columns_of(image, horizontal), mirror,
                    view_);
}

void TrainTransform::jitter(Random& random) {
  const auto around_one = [&](double strength) {
    return random.uniform(1 - strength, 1 + strength);
  };
  // The elements of a braced list are drawn from left to right.
  std::array adjustments{
      Adjustment{adjust_brightness, around_one(options_.brightness)},
      Adjustment{adjust_contrast, around_one(options_.contrast)},
      Adjustment{adjust_saturation, around_one(options_.saturation)},
      Adjustment{shift_hue, random.uniform(-options_.hue, options_.hue)},
  };
  random.shuffle(adjustments);
  for (const auto& adjustment : adjustments) adjustment.apply(view_, adjustment.factor);
}

}  // namespace projnce
