#include "projnce/augment/sound/sound_augmenter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "projnce/augment/sound/sound_ops.h"

namespace projnce {

namespace {

struct Stretch {
  int64_t begin;
  int64_t count;
};

/// Up to `share` of `size` places, anywhere among them.
Stretch draw_stretch(double share, int64_t size, Random& random) {
  const auto longest = static_cast<int64_t>(share * static_cast<double>(size));
  const int64_t count = random.below(longest + 1);
  return {.begin = random.below(size - count + 1), .count = count};
}

float spectrogram_mean(const Features& spectrogram) {
  const auto& values = spectrogram.values;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

}  // namespace

SoundAugmenter::SoundAugmenter(const SoundAugmentOptions& options, const MelOptions& mel)
    : options_(options), log_mel_(mel) {}

void SoundAugmenter::make_view(std::span<const float> samples, uint64_t seed,
                               std::span<const Clip> backgrounds, Features& out) {
  Random random(seed);
  disturb(samples, backgrounds, random);
  log_mel_.compute(samples_, out);
  mask(random, out);
}

void SoundAugmenter::disturb(std::span<const float> samples, std::span<const Clip> backgrounds,
                             Random& random) {
  const auto length = static_cast<double>(samples.size());
  const double shift = random.uniform(-options_.time_shift, options_.time_shift) * length;
  const double gain = std::pow(10, random.uniform(-options_.gain_db, options_.gain_db) / 20);
  shift_samples(samples, std::llround(shift), gain, samples_);

  if (random.uniform() < options_.background_probability && !backgrounds.empty()) {
    const auto which = static_cast<size_t>(random.below(std::ssize(backgrounds)));
    const auto& background = backgrounds[which].samples;
    const int64_t places = std::max<int64_t>(1, std::ssize(background) - std::ssize(samples) + 1);
    const int64_t begin = random.below(places);
    const double below = random.uniform(options_.background_db_min, options_.background_db_max);
    if (!background.empty()) add_background(samples_, background, begin, below);
  }
  if (random.uniform() < options_.noise_probability) {
    const double below = random.uniform(options_.noise_db_min, options_.noise_db_max);
    add_noise(samples_, below, Random(random.next()));
  }
}

void SoundAugmenter::mask(Random& random, Features& spectrogram) const {
  const auto moments = draw_stretch(options_.time_mask, spectrogram.width, random);
  const auto bands = draw_stretch(options_.frequency_mask, spectrogram.height, random);
  const float mean = spectrogram_mean(spectrogram);
  mask_columns(spectrogram, moments.begin, moments.count, mean);
  mask_rows(spectrogram, bands.begin, bands.count, mean);
}

}  // namespace projnce
