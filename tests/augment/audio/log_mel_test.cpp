#include "projnce/augment/audio/log_mel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/audio_signals.h"
#include "tests/support/error_message.h"

namespace projnce::augment {
namespace {

using ::testing::Each;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using testing::hiss;
using testing::tone;

// Reference implementation without FFT, sparse bands or production code: sums of cosines and sines,
// and every band over every frequency.

double hertz_of_mel(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return 700 * (std::pow(10.0, mel / 2595) - 1);
  return mel < 15 ? 200 * mel / 3 : 1000 * std::pow(6.4, (mel - 15) / 27);
}

double mel_of_hertz(double hertz, MelScale scale) {
  if (scale == MelScale::kHtk) return 2595 * std::log10(1 + hertz / 700);
  return hertz < 1000 ? 3 * hertz / 200 : 15 + 27 * std::log(hertz / 1000) / std::log(6.4);
}

/// Sample at `index` with reflection padding.
double reflected(const std::vector<float>& audio, int64_t index) {
  const auto last = std::ssize(audio) - 1;
  if (last == 0) return audio[0];
  while (index < 0 || index > last) index = index < 0 ? -index : 2 * last - index;
  return audio[static_cast<size_t>(index)];
}

std::vector<double> plain_powers(const std::vector<float>& audio, int64_t middle, int fft) {
  std::vector<double> frame;
  for (int i = 0; i < fft; ++i) {
    const double hann = std::pow(std::sin(std::numbers::pi * i / fft), 2);
    frame.push_back(hann * reflected(audio, middle - fft / 2 + i));
  }
  std::vector<double> powers;
  for (int k = 0; k <= fft / 2; ++k) {
    double real = 0;
    double imaginary = 0;
    for (int i = 0; i < fft; ++i) {
      const double angle = 2 * std::numbers::pi * (int64_t{k} * i % fft) / fft;
      real += frame[static_cast<size_t>(i)] * std::cos(angle);
      imaginary -= frame[static_cast<size_t>(i)] * std::sin(angle);
    }
    powers.push_back(real * real + imaginary * imaginary);
  }
  return powers;
}

double plain_weight(const MelOptions& options, int band, double hertz) {
  const double low = mel_of_hertz(options.low, options.scale);
  const double high =
      mel_of_hertz(options.high > 0 ? options.high : options.rate / 2.0, options.scale);
  const auto corner = [&](int i) {
    return hertz_of_mel(low + i * (high - low) / (options.mels + 1), options.scale);
  };
  const double left = corner(band);
  const double middle = corner(band + 1);
  const double right = corner(band + 2);
  if (hertz <= left || hertz >= right) return 0;
  const double height =
      hertz <= middle ? (hertz - left) / (middle - left) : (right - hertz) / (right - middle);
  return options.scale == MelScale::kHtk ? height : height * 2 / (right - left);
}

/// Maximum difference between the log-mel spectrogram and the reference.
double largest_error(const MelOptions& options, const std::vector<float>& audio) {
  Features features;
  LogMel(options).compute(audio, features);
  const auto frames = std::ssize(audio) / options.hop + 1;
  EXPECT_EQ(features.channels, 1);
  EXPECT_EQ(features.height, options.mels);
  EXPECT_EQ(features.width, frames);
  double error = 0;
  for (int64_t t = 0; t < frames; ++t) {
    const auto powers = plain_powers(audio, t * options.hop, options.fft);
    for (int band = 0; band < options.mels; ++band) {
      double energy = 0;
      for (size_t k = 0; k < powers.size(); ++k) {
        energy += powers[k] * plain_weight(options, band, double(k) * options.rate / options.fft);
      }
      const auto at = static_cast<size_t>(band * frames + t);
      error = std::max(error, std::abs(features.values[at] - std::log(energy + 1e-6)));
    }
  }
  return error;
}

TEST(LogMel, MatchesTheReference) {
  const std::vector<MelOptions> cases = {
      {.rate = 16000, .fft = 512, .hop = 256, .mels = 128, .scale = MelScale::kHtk},
      {.rate = 16000, .fft = 512, .hop = 160, .mels = 40, .scale = MelScale::kSlaney},
      {.rate = 8000, .fft = 256, .hop = 100, .mels = 64, .scale = MelScale::kSlaney},
      {.rate = 8000, .fft = 400, .hop = 400, .mels = 80, .scale = MelScale::kHtk},
      {.rate = 8000, .fft = 254, .hop = 1, .mels = 3, .scale = MelScale::kHtk},
      {.rate = 16000, .fft = 256, .mels = 20, .low = 300, .high = 3400},
      {.rate = 8000, .fft = 256, .mels = 20, .scale = MelScale::kSlaney, .low = 50, .high = 4000},
  };
  for (auto options : cases) {
    options.hop = std::min(options.hop, options.fft);
    const size_t samples = options.hop == 1 ? 30 : 1100;
    EXPECT_LT(largest_error(options, hiss(samples, 7)), 1e-5) << options.fft;
    EXPECT_LT(largest_error(options, tone(options.rate, 1234.5, samples)), 1e-5) << options.fft;
  }
}

TEST(LogMel, MatchesTheReferenceWithDefaults) {
  for (const auto scale : {MelScale::kHtk, MelScale::kSlaney}) {
    EXPECT_LT(largest_error({.scale = scale}, hiss(1600, 9)), 1e-5);
  }
}

TEST(LogMel, PreservesQuietBandsNextToALoudTone) {
  // 0.5 and 5e-6: 100 dB, beyond the range of single precision.
  auto audio = tone(16000, 1000, 1500);
  const auto faint = tone(16000, 5000, 1500);
  for (size_t i = 0; i < audio.size(); ++i) audio[i] += 1e-5F * faint[i];
  EXPECT_LT(largest_error({.fft = 512, .hop = 256, .mels = 64}, audio), 1e-4);
}

TEST(LogMel, ReflectsClipsShorterThanAFrame) {
  for (const size_t samples : {1U, 2U, 3U, 50U, 128U, 129U, 255U}) {
    EXPECT_LT(largest_error({.fft = 256, .hop = 64, .mels = 16}, hiss(samples, 3)), 1e-5)
        << samples;
  }
}

TEST(LogMel, HasTheExpectedShapes) {
  Features features;
  for (const auto& [seconds, width] : {std::pair{1.0, 32}, {6.5, 204}}) {
    const MelOptions options{.seconds = seconds};
    LogMel(options).compute(std::vector<float>(static_cast<size_t>(options.samples())), features);
    EXPECT_EQ(features.height, 128);
    EXPECT_EQ(features.width, width);
    EXPECT_EQ(features.values.size(), size_t(128 * width));
    EXPECT_EQ(options.frames(), width);
  }
}

TEST(LogMel, SilenceIsTheFloorEverywhere) {
  Features features;
  LogMel({}).compute(std::vector<float>(16000), features);
  EXPECT_THAT(features.values, Each(FloatNear(std::log(1e-6F), 1e-5F)));
}

TEST(LogMel, ConstantClipsAffectOnlyTheLowestBand) {
  Features features;
  LogMel({.mels = 40}).compute(std::vector<float>(16000, 0.5F), features);
  const auto frames = static_cast<size_t>(features.width);
  EXPECT_GT(features.values[0], 5);
  for (size_t i = 3 * frames; i < features.values.size(); ++i) {
    ASSERT_NEAR(features.values[i], std::log(1e-6), 1e-5) << i;
  }
}

TEST(LogMel, BandsBetweenTwoFrequenciesAreTheFloor) {
  const MelOptions options{.fft = 256, .hop = 128, .mels = 128};
  const auto bands = mel_filters(options);
  ASSERT_TRUE(bands[1].weights.empty());
  Features features;
  LogMel(options).compute(hiss(2000, 1), features);
  EXPECT_NEAR(features.values[static_cast<size_t>(features.width)], std::log(1e-6), 1e-5);
}

TEST(LogMel, RepeatedCallsGiveTheSameValues) {
  LogMel log_mel({});
  Features first;
  Features second;
  log_mel.compute(hiss(16000, 1), first);
  log_mel.compute(tone(16000, 300, 700), second);
  log_mel.compute(hiss(16000, 1), second);
  EXPECT_EQ(first.values, second.values);
  EXPECT_EQ(first.width, second.width);
}

TEST(LogMel, RejectsEmptyClipsAndOptionsOutOfRange) {
  Features features;
  EXPECT_THAT(testing::error_message_of([&] { LogMel({}).compute({}, features); }),
              HasSubstr("without samples"));
  EXPECT_THAT(testing::error_message_of([] { LogMel({.fft = 1023}); }), HasSubstr("even"));
  EXPECT_THAT(testing::error_message_of([] { LogMel({.hop = 2048}); }), HasSubstr("hop = 2048"));
}

}  // namespace
}  // namespace projnce::augment
