#include "projnce/augment/audio/clip_length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/augment/audio/audio_augmenter.h"
#include "tests/support/audio_signals.h"
#include "tests/support/error_message.h"

namespace projnce::augment {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::hiss;
using testing::tone;

/// Maximum difference away from the ends, where the filter covers the surrounding silence.
double difference_inside(const std::vector<float>& a, const std::vector<float>& b, size_t margin) {
  EXPECT_EQ(a.size(), b.size());
  double error = 0;
  for (size_t i = margin; i + margin < std::min(a.size(), b.size()); ++i) {
    error = std::max(error, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return error;
}

TEST(ResampleClip, PreservesTones) {
  for (const auto& [from, to] : {std::pair{8000, 16000}, {44100, 16000}, {16000, 22050}}) {
    const Clip clip{.rate = from, .samples = tone(from, 440, static_cast<size_t>(from) / 2)};
    const auto other = resample_clip(clip, to);
    EXPECT_EQ(other.rate, to);
    EXPECT_LT(difference_inside(other.samples, tone(to, 440, static_cast<size_t>(to) / 2), 400),
              1e-3)
        << from << " -> " << to;
  }
}

TEST(ResampleClip, RemovesFrequenciesAboveNyquist) {
  const Clip clip{.rate = 16000, .samples = tone(16000, 6000, 16000)};
  const auto low = resample_clip(clip, 8000);
  const auto inside = std::span(low.samples).subspan(400, low.samples.size() - 800);
  EXPECT_LT(root_mean_square(inside), 1e-4);
}

TEST(ResampleClip, HasTheExpectedLength) {
  for (const size_t samples : {1U, 2U, 7U, 100U, 5148U}) {
    for (const int rate : {8000, 11025, 16000, 48000}) {
      const Clip clip{.rate = 22050, .samples = hiss(samples, 5)};
      const double length = std::round(static_cast<double>(samples) * rate / 22050);
      EXPECT_EQ(resample_clip(clip, rate).samples.size(), size_t(std::max(1.0, length)));
    }
  }
}

TEST(ResampleClip, IsTheIdentityIfTheRatesAreEqual) {
  const Clip clip{.rate = 16000, .samples = hiss(100, 5)};
  EXPECT_EQ(resample_clip(clip, 16000).samples, clip.samples);
}

TEST(ResampleClip, RejectsHugeResults) {
  const auto error_of = [](int from, size_t samples, int to) {
    return testing::error_message_of(
        [&] { resample_clip({.rate = from, .samples = std::vector<float>(samples)}, to); });
  };
  EXPECT_THAT(error_of(100, 10, 48000), HasSubstr("from 100 to 48000"));
  EXPECT_THAT(error_of(1000, 1'000'000, 192'000), HasSubstr("at most"));
  EXPECT_THAT(error_of(8000, 0, 16000), HasSubstr("without samples"));
  EXPECT_THAT(error_of(0, 10, 16000), HasSubstr("expected at least 1"));
}

TEST(FitLength, KeepsTheMiddleAndPadsBothSides) {
  const Clip clip{.rate = 8000, .samples = {1, 2, 3, 4, 5}};
  EXPECT_THAT(fit_length(clip, 5).samples, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(fit_length(clip, 3).samples, ElementsAre(2, 3, 4));
  EXPECT_THAT(fit_length(clip, 2).samples, ElementsAre(2, 3));
  EXPECT_THAT(fit_length(clip, 1).samples, ElementsAre(3));
  EXPECT_THAT(fit_length(clip, 8).samples, ElementsAre(0, 1, 2, 3, 4, 5, 0, 0));
  EXPECT_EQ(fit_length(clip, 8).rate, 8000);
}

TEST(PrepareClip, GivesTheConfiguredLengthAndRate) {
  const MelOptions options{.rate = 16000, .seconds = 0.25};
  for (const size_t samples : {1U, 1000U, 2000U, 50'000U}) {
    const auto clip = prepare_clip({.rate = 8000, .samples = hiss(samples, 2)}, options);
    EXPECT_EQ(clip.rate, 16000);
    EXPECT_EQ(clip.samples.size(), 4000U);
  }
}

TEST(PrepareClip, CroppingLongClipsFirstGivesTheSameResult) {
  const MelOptions options{.rate = 16000, .seconds = 0.25};
  const Clip clip{.rate = 8000, .samples = hiss(50'000, 2)};
  const auto slow = fit_length(resample_clip(clip, 16000), options.samples());
  EXPECT_LT(difference_inside(prepare_clip(clip, options).samples, slow.samples, 0), 1e-4);
}

}  // namespace
}  // namespace projnce::augment
