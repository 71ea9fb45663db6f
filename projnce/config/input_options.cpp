#include "projnce/config/input_options.h"

#include <algorithm>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/loader/channel_stats.h"

namespace projnce::config {

namespace {

constexpr int64_t kMaxKeptSize = 96;     // square images up to this size are not resized
constexpr int64_t kMaxDefaultSize = 64;  // larger images are downsized for training on a CPU
constexpr int64_t kMaxProbedSamples = 200;

struct ImageShape {
  int64_t size;
  int64_t channels;
};

ImageShape probe_images(const dataset::Dataset& dataset) {
  const int64_t count = std::min(dataset.size(), kMaxProbedSamples);
  std::vector<int64_t> sides;
  bool same_square = true;
  int64_t channels = 1;
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto image = std::get<Image>(dataset.decode(i * dataset.size() / count));
      sides.push_back(std::min(image.height, image.width));
      channels = std::max<int64_t>(channels, image.channels);
      same_square = same_square && image.height == image.width && sides.back() == sides.front();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;  // skip corrupt samples
    }
  }
  if (sides.empty()) fail("cannot read any of ", counted(count, "probed image"), " of the dataset");
  if (same_square && sides.front() <= kMaxKeptSize) return {sides.front(), channels};
  const auto middle = sides.begin() + static_cast<ptrdiff_t>(sides.size() / 2);
  std::nth_element(sides.begin(), middle, sides.end());
  return {std::min(*middle, kMaxDefaultSize), channels};
}

const char* name_of(SampleKind kind) {
  if (kind == SampleKind::kImage) return "image";
  return kind == SampleKind::kAudio ? "audio" : "vector";
}

InputKind setting_of(SampleKind kind) {
  if (kind == SampleKind::kImage) return InputKind::kImage;
  return kind == SampleKind::kAudio ? InputKind::kAudio : InputKind::kVector;
}

SampleKind kind_of(InputKind setting) {
  if (setting == InputKind::kAudio) return SampleKind::kAudio;
  return setting == InputKind::kVector ? SampleKind::kVector : SampleKind::kImage;
}

void check_given_fields(const InputSettings& given, SampleKind kind) {
  const auto reject = [&](bool is_set, const char* key, SampleKind required) {
    if (!is_set || required == kind) return;
    fail("[input", key, " does not apply to data of kind '", name_of(kind), "'");
  };
  reject(given.channels.has_value(), "] channels", SampleKind::kImage);
  reject(given.image_size.has_value(), "] image_size", SampleKind::kImage);
  reject(given.vector_size.has_value(), "] vector_size", SampleKind::kVector);
  reject(given.audio.has_value(), ".audio]", SampleKind::kAudio);
  if (given.kind != InputKind::kAuto && given.kind != setting_of(kind)) {
    fail("[input] kind = '", name_of(kind_of(given.kind)), "', but the data is of kind '",
         name_of(kind), "'");
  }
}

void check_channels(const InputSettings& given) {
  if (given.channels == 2) fail("[input] channels = 2, expected 1 or 3 channels");
  const auto means = given.mean ? given.mean->size() : 0;
  const auto deviations = given.std ? given.std->size() : 0;
  if (means == deviations) return;
  fail("[input] mean has ", counted(means, "value"), " and std ", deviations,
       ", expected one for each channel");
}

void infer_image_shape(InputOptions& options, const dataset::Dataset& train) {
  if (options.image_size != 0 && options.channels != 0) return;
  const auto shape = probe_images(train);
  if (options.image_size == 0) options.image_size = shape.size;
  if (options.channels == 0) options.channels = shape.channels;
}

void infer_vector_size(InputOptions& options, const dataset::Dataset& train) {
  const auto first = std::get<Features>(train.decode(0));
  if (options.vector_size != 0 && options.vector_size != first.channels) {
    fail("[input] vector_size = ", options.vector_size, ", but the data has vectors of dimension ",
         first.channels);
  }
  options.vector_size = first.channels;
}

}  // namespace

augment::InputFormat InputOptions::format() const {
  if (kind == SampleKind::kImage) {
    return augment::InputFormat::images({.channels = static_cast<int>(channels),
                                         .image_size = static_cast<int>(image_size),
                                         .mean = mean,
                                         .std = std});
  }
  return {.kind = kind,
          .mel = mel,
          .vector_size = static_cast<int>(vector_size),
          .mean = mean.at(0),
          .std = std.at(0)};
}

encoder::InputShape InputOptions::shape() const {
  const auto f = format();
  return {.channels = f.channels(), .height = f.height(), .width = f.width()};
}

void list_fields(InputSettings& settings, FieldVisitor& fields) {
  fields
      .choice("kind", settings.kind,
              {{"auto", InputKind::kAuto},
               {"image", InputKind::kImage},
               {"audio", InputKind::kAudio},
               {"vector", InputKind::kVector}},
              {{"sound", "audio"}})
      .field("image_size", settings.image_size, between(0, 4096))
      .field("channels", settings.channels, between(0, 3))
      .field("vector_size", settings.vector_size, between(0, 1 << 24))
      .field("mean", settings.mean)
      .field("std", settings.std, above(0));
  fields.renamed("sound", "audio");
  if (fields.is_present("audio", settings.audio.has_value())) {
    if (!settings.audio) settings.audio = InputOptions().mel;
    fields.section("audio", *settings.audio);
  }
  fields.check([&settings] { check_channels(settings); });
}

InputOptions input_options(const InputSettings& settings) {
  InputOptions options;
  options.kind = kind_of(settings.kind);
  options.image_size = settings.image_size.value_or(0);
  options.channels = settings.channels.value_or(0);
  options.vector_size = settings.vector_size.value_or(0);
  if (settings.mean) options.mean = *settings.mean;
  if (settings.std) options.std = *settings.std;
  if (settings.audio) options.mel = *settings.audio;
  return options;
}

InputSettings input_settings(const InputOptions& options) {
  InputSettings settings{
      .kind = setting_of(options.kind), .mean = options.mean, .std = options.std};
  if (options.kind == SampleKind::kImage) {
    settings.image_size = options.image_size;
    settings.channels = options.channels;
  }
  if (options.kind == SampleKind::kVector) settings.vector_size = options.vector_size;
  if (options.kind == SampleKind::kAudio) settings.audio = options.mel;
  return settings;
}

InputOptions resolve_input(const InputSettings& settings, const dataset::Dataset& train,
                           int threads) {
  check_given_fields(settings, train.kind());
  auto options = input_options(settings);
  options.kind = train.kind();
  if (options.kind == SampleKind::kImage) infer_image_shape(options, train);
  if (options.kind == SampleKind::kVector) infer_vector_size(options, train);
  if (options.mean.empty()) {
    const auto stats = loader::channel_stats(
        train, {.channels = static_cast<int>(options.channels), .threads = threads});
    options.mean = stats.mean;
    options.std = stats.std;
  }
  const int64_t expected = options.kind == SampleKind::kImage ? options.channels : 1;
  if (static_cast<int64_t>(options.mean.size()) != expected) {
    fail("[input] mean has ", counted(options.mean.size(), "value"), ", expected ", expected,
         " for ", expected, " channels");
  }
  return options;
}

}  // namespace projnce::config
