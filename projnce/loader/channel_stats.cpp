#include "projnce/loader/channel_stats.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "projnce/augment/input_format.h"
#include "projnce/augment/resample.h"
#include "projnce/loader/batch.h"
#include "projnce/loader/ordered_prefetcher.h"

namespace projnce::loader {

namespace {

/// Sums over the values of one or more samples. Samples are added in dataset order, so that the
/// result does not depend on the number of threads.
struct PixelSums {
  double count = 0;
  std::array<double, 3> sum = {};
  std::array<double, 3> square = {};

  void add(size_t channel, double value) {
    sum[channel] += value;
    square[channel] += value * value;
  }
};

PixelSums sums_of(const Image& image, int channels) {
  augment::check_image(image);
  const auto step = static_cast<size_t>(image.channels);
  const bool to_gray = channels == 1 && step == 3;
  const auto value = [&](size_t i) {
    return static_cast<double>(image.pixels[i]) + (image.noise.empty() ? 0 : image.noise[i]);
  };
  PixelSums sums;
  sums.count = static_cast<double>(image.pixels.size() / step);
  for (size_t i = 0; i < image.pixels.size(); i += step) {
    if (to_gray) {
      sums.add(0, 0.299 * value(i) + 0.587 * value(i + 1) + 0.114 * value(i + 2));
    } else {
      for (size_t c = 0; c < static_cast<size_t>(channels); ++c) sums.add(c, value(i + c % step));
    }
  }
  return sums;
}

PixelSums sums_of(const Features& features) {
  PixelSums sums;
  sums.count = static_cast<double>(features.values.size());
  for (const float value : features.values) sums.add(0, value);
  return sums;
}

PixelSums sums_of(const Sample& sample, int channels) {
  if (const auto* image = std::get_if<Image>(&sample)) return sums_of(*image, channels);
  if (const auto* features = std::get_if<Features>(&sample)) return sums_of(*features);
  fail("channel_stats does not support audio clips; pass their spectrograms");
}

PixelSums sums_of_sample(const dataset::Dataset& dataset, int64_t index, int channels) {
  try {
    return sums_of(dataset.decode(index), channels);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return {};
  }
}

PixelSums sums_over(const dataset::Dataset& dataset, const ChannelStatsOptions& options) {
  const int64_t count = std::min(options.max_samples, dataset.size());
  const auto sums_of_number = [&](int64_t number) {
    return sums_of_sample(dataset, number * dataset.size() / count, options.channels);
  };
  const int64_t ahead = 4 * options.threads;
  OrderedPrefetcher<PixelSums> parts({0, count, options.threads, ahead},
                                     [&] { return sums_of_number; });
  PixelSums total;
  while (const auto part = parts.next()) {
    total.count += part->count;
    for (size_t c = 0; c < 3; ++c) {
      total.sum[c] += part->sum[c];
      total.square[c] += part->square[c];
    }
  }
  return total;
}

}  // namespace

ChannelStats channel_stats(const dataset::Dataset& dataset, const ChannelStatsOptions& options) {
  const bool images = dataset.kind() == SampleKind::kImage;
  if (images) augment::check_channels(options.channels);
  check_at_least("max_samples", options.max_samples, 1);
  check_at_least("threads", options.threads, 1);
  if (dataset.size() == 0) fail("cannot compute channel statistics: the dataset has no samples");
  const auto total = sums_over(dataset, options);
  if (total.count == 0) {
    fail("cannot compute channel statistics: none of the sampled files can be read");
  }
  const double scale = images ? 255 : 1;
  ChannelStats stats;
  for (size_t c = 0; c < (images ? static_cast<size_t>(options.channels) : 1); ++c) {
    const double mean = total.sum[c] / total.count;
    const double variance = total.square[c] / total.count - mean * mean;
    stats.mean.push_back(mean / scale);
    stats.std.push_back(std::max(1.0 / 255, std::sqrt(std::max(0.0, variance)) / scale));
  }
  return stats;
}

}  // namespace projnce::loader
