#include "projnce/augment/audio/audio_augmenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "tests/support/audio_signals.h"
#include "tests/support/error_message.h"

namespace projnce::augment {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::hiss;
using testing::tone;

constexpr AudioAugmentOptions kNoChange{.time_shift = 0,
                                        .gain_db = 0,
                                        .noise_probability = 0,
                                        .background_probability = 0,
                                        .time_mask = 0,
                                        .frequency_mask = 0};
constexpr MelOptions kSmall{.rate = 8000, .seconds = 0.25, .fft = 256, .hop = 100, .mels = 20};

class AudioAugmenterTest : public ::testing::Test {
 protected:
  Features view(const AudioAugmentOptions& options, uint64_t seed,
                std::span<const Clip> backgrounds = {}) const {
    Features features;
    AudioAugmenter(options, kSmall).make_view(audio_, seed, backgrounds, features);
    return features;
  }

  std::vector<float> spectrogram_of(const std::vector<float>& samples) const {
    Features features;
    LogMel(kSmall).compute(samples, features);
    return features.values;
  }

  std::vector<float> audio_ = tone(8000, 700, 2000);
};

TEST_F(AudioAugmenterTest, WithoutAugmentationAViewIsTheSpectrogram) {
  const auto features = view(kNoChange, 1);
  EXPECT_EQ(features.values, spectrogram_of(audio_));
  EXPECT_EQ(features.height, 20);
  EXPECT_EQ(features.width, 21);
}

TEST_F(AudioAugmenterTest, ViewDependsOnlyOnAudioAndSeed) {
  const std::vector<Clip> backgrounds = {{.rate = 8000, .samples = hiss(5000, 1)}};
  AudioAugmenter used({}, kSmall);
  Features features;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    used.make_view(audio_, seed, backgrounds, features);
    EXPECT_EQ(features.values, view({}, seed, backgrounds).values);
    EXPECT_NE(features.values, view({}, seed + 1, backgrounds).values);
  }
}

TEST_F(AudioAugmenterTest, DrawsInTheDocumentedOrder) {
  const AudioAugmentOptions options{.noise_probability = 1, .background_probability = 1};
  const std::vector<Clip> backgrounds = {{.rate = 8000, .samples = hiss(100, 1)},
                                         {.rate = 8000, .samples = hiss(5000, 2)}};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const auto shift = std::llround(random.uniform(-0.1, 0.1) * 2000);
    const double gain = std::pow(10, random.uniform(-6, 6) / 20);
    std::vector<float> samples;
    shift_samples(audio_, shift, gain, samples);
    random.uniform();
    const auto& background = backgrounds[static_cast<size_t>(random.below(2))].samples;
    const auto begin = random.below(background.size() == 100 ? 1 : 3001);
    const double background_below = random.uniform(5, 30);
    add_background(samples, background, begin, background_below);
    random.uniform();
    const double noise_below = random.uniform(10, 40);
    add_noise(samples, noise_below, Random(random.next()));
    Features expected{1, 20, 21, spectrogram_of(samples)};
    const float mean = static_cast<float>(
        std::accumulate(expected.values.begin(), expected.values.end(), 0.0) / (20 * 21));
    const auto moments = random.below(3);
    mask_columns(expected, random.below(21 - moments + 1), moments, mean);
    const auto bands = random.below(3);
    mask_rows(expected, random.below(20 - bands + 1), bands, mean);
    EXPECT_EQ(view(options, seed, backgrounds).values, expected.values) << seed;
  }
}

TEST_F(AudioAugmenterTest, EachOperationChangesTheView) {
  const std::vector<Clip> backgrounds = {{.rate = 8000, .samples = hiss(5000, 1)}};
  const auto plain = spectrogram_of(audio_);
  const auto changed = [&](auto&& set) {
    auto options = kNoChange;
    set(options);
    int count = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      count += view(options, seed, backgrounds).values != plain ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(changed([](auto& o) { o.time_shift = 0.1; }), 35);
  EXPECT_GT(changed([](auto& o) { o.gain_db = 6; }), 35);
  EXPECT_EQ(changed([](auto& o) { o.noise_probability = 1; }), 40);
  EXPECT_EQ(changed([](auto& o) { o.background_probability = 1; }), 40);
  EXPECT_NEAR(changed([](auto& o) { o.noise_probability = 0.5; }), 20, 12);
  EXPECT_GT(changed([](auto& o) { o.time_mask = 0.5; }), 30);
  EXPECT_GT(changed([](auto& o) { o.frequency_mask = 0.5; }), 30);
}

TEST_F(AudioAugmenterTest, MasksStayWithinTheirMaximum) {
  auto options = kNoChange;
  options.time_mask = 0.3;  // 6 of 21 frames
  const auto plain = spectrogram_of(audio_);
  size_t most = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto values = view(options, seed).values;
    size_t blanked = 0;
    for (size_t t = 0; t < 21; ++t) blanked += values[t] != plain[t] ? 1 : 0;
    most = std::max(most, blanked);
  }
  EXPECT_EQ(most, 6U);
}

TEST_F(AudioAugmenterTest, SilenceEmptyBackgroundsAndWholeMasksGiveFiniteViews) {
  const std::vector<Clip> backgrounds = {{.rate = 8000, .samples = {}},
                                         {.rate = 8000, .samples = {0}}};
  const AudioAugmentOptions extreme{.time_shift = 1,
                                    .noise_probability = 1,
                                    .background_probability = 1,
                                    .time_mask = 1,
                                    .frequency_mask = 1};
  for (const auto& audio : {std::vector<float>(2000), audio_, std::vector<float>{0.5F}}) {
    AudioAugmenter augmenter(extreme, kSmall);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      Features features;
      augmenter.make_view(audio, seed, backgrounds, features);
      for (const float value : features.values) ASSERT_TRUE(std::isfinite(value));
    }
  }
}

TEST(AudioAugmentOptions, AreReadFromATable) {
  const auto table = parse_toml("time_shift = 0.2\nnoise_db_min = 3\n", "run.toml");
  const auto options = read_options<AudioAugmentOptions>(table, "augment.audio");
  EXPECT_EQ(options.time_shift, 0.2);
  EXPECT_EQ(options.noise_db_min, 3);
  EXPECT_EQ(options.frequency_mask, 0.1);
  EXPECT_TRUE(to_table(options).has("background_db_max"));
}

TEST(AudioAugmentOptions, RejectValuesOutOfRangeOrOrder) {
  const auto error_of = [](const std::string& text) {
    const auto table = parse_toml(text, "run.toml");
    return testing::error_message_of(
        [&] { read_options<AudioAugmentOptions>(table, "augment.audio"); });
  };
  EXPECT_THAT(error_of("time_shift = 1.5"), HasSubstr("time_shift"));
  EXPECT_THAT(error_of("gain_db = -1"), HasSubstr("gain_db"));
  EXPECT_THAT(error_of("noise_db_min = 50"),
              AllOf(HasSubstr("noise_db_min = 50"), HasSubstr("noise_db_max = 40")));
  EXPECT_THAT(error_of("background_db_max = 1"), HasSubstr("background_db_min = 5"));
  EXPECT_THAT(error_of("masks = 1"), HasSubstr("unknown key"));
}

}  // namespace
}  // namespace projnce::augment
