#include "projnce/augment/audio/audio_augmenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/audio_signals.h"

namespace projnce::augment {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::hiss;

double decibels_between(double loud, double soft) {
  return 20 * std::log10(loud / soft);
}

/// Difference between two clips.
std::vector<float> added(const std::vector<float>& before, const std::vector<float>& after) {
  std::vector<float> difference;
  for (size_t i = 0; i < before.size(); ++i) difference.push_back(after[i] - before[i]);
  return difference;
}

TEST(AudioOps, RootMeanSquareOfKnownClips) {
  EXPECT_EQ(root_mean_square({}), 0);
  EXPECT_EQ(root_mean_square(std::vector<float>{3, -3, 3}), 3);
  EXPECT_DOUBLE_EQ(root_mean_square(std::vector<float>{0, 1}), std::sqrt(0.5));
}

TEST(AudioOps, ShiftPadsWithZeros) {
  const std::vector<float> audio = {1, 2, 3};
  std::vector<float> out;
  shift_samples(audio, 0, 1, out);
  EXPECT_THAT(out, ElementsAre(1, 2, 3));
  shift_samples(audio, 1, 2, out);
  EXPECT_THAT(out, ElementsAre(0, 2, 4));
  shift_samples(audio, -2, 1, out);
  EXPECT_THAT(out, ElementsAre(3, 0, 0));
  for (const int64_t far : {3, -3, 100, -100}) {
    shift_samples(audio, far, 1, out);
    EXPECT_THAT(out, ElementsAre(0, 0, 0)) << far;
  }
}

TEST(AudioOps, NoiseHasTheConfiguredLevel) {
  const auto audio = hiss(20'001, 1);
  for (const double below : {0.0, 10.0, 40.0}) {
    auto noisy = audio;
    add_noise(noisy, below, Random(4));
    const double noise = root_mean_square(added(audio, noisy));
    EXPECT_NEAR(decibels_between(root_mean_square(audio), noise), below, 0.2);
  }
}

TEST(AudioOps, NoiseDependsOnlyOnItsGenerator) {
  auto first = hiss(100, 1);
  auto second = first;
  auto third = first;
  add_noise(first, 10, Random(4));
  add_noise(second, 10, Random(4));
  add_noise(third, 10, Random(5));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, third);
}

TEST(AudioOps, SilenceStaysSilent) {
  std::vector<float> silence(100);
  add_noise(silence, 10, Random(4));
  add_background(silence, hiss(50, 1), 0, 10);
  EXPECT_THAT(silence, Each(0));
}

TEST(AudioOps, BackgroundsAreScaledAndRepeated) {
  std::vector<float> audio = {2, -2, 2, -2, 2};
  add_background(audio, std::vector<float>{1, -1, -1, 1}, 3, 20);
  const std::vector<float> expected = {2.2F, -1.8F, 1.8F, -2.2F, 2.2F};
  for (size_t i = 0; i < audio.size(); ++i) EXPECT_NEAR(audio[i], expected[i], 1e-6) << i;
}

TEST(AudioOps, SilentBackgroundsAddNothing) {
  std::vector<float> audio = {2, -2};
  add_background(audio, std::vector<float>{0, 0, 0}, 1, 20);
  EXPECT_THAT(audio, ElementsAre(2, -2));
}

TEST(AudioOps, MasksFillRowsAndColumns) {
  const Features plain{.channels = 1, .height = 2, .width = 3, .values = {1, 2, 3, 4, 5, 6}};
  auto features = plain;
  mask_columns(features, 1, 2, 9);
  EXPECT_THAT(features.values, ElementsAre(1, 9, 9, 4, 9, 9));
  features = plain;
  mask_rows(features, 1, 1, 9);
  EXPECT_THAT(features.values, ElementsAre(1, 2, 3, 9, 9, 9));
  features = plain;
  mask_columns(features, 3, 0, 9);
  mask_rows(features, 2, 0, 9);
  EXPECT_EQ(features.values, plain.values);
}

}  // namespace
}  // namespace projnce::augment
