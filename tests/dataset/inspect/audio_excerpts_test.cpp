#include "projnce/dataset/inspect/sample_previews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "projnce/io/audio/audio_file.h"
#include "tests/support/audio_signals.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/sample_dataset.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

float peak_of(const Clip& clip) {
  float peak = 0;
  for (const float value : clip.samples) peak = std::max(peak, std::abs(value));
  return peak;
}

TEST(WavWriter, RoundTripsThroughTheDecoder) {
  const Clip clip{8000, {0.0F, 0.5F, -0.5F, 1.0F, -2.0F, NAN}};
  const auto back = io::decode_audio(io::encode_wav(clip), "written");
  EXPECT_EQ(back.rate, 8000);
  ASSERT_EQ(back.samples.size(), 6U);
  const float expected[] = {0, 0.5F, -0.5F, 1, -1, 0};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(back.samples[i], expected[i], 1e-4) << i;
}

TEST(AudioExcerpts, AreTheLoudestExcerptAtALowRateAndFullVolume) {
  Clip audio{16000, std::vector<float>(16000 * 5, 0.0F)};
  const auto tone = testing::tone(16000, 500, 8000);  // half a second in the fourth second
  for (size_t i = 0; i < tone.size(); ++i) audio.samples[16000 * 3 + i] = 0.1F * tone[i];
  const auto excerpt = make_audio_excerpt(audio);
  EXPECT_DOUBLE_EQ(excerpt.whole_seconds, 5);
  EXPECT_DOUBLE_EQ(excerpt.seconds, kMaxClipSeconds);
  const auto back = io::decode_audio(excerpt.wav, "excerpt");
  EXPECT_EQ(back.rate, kClipRate);
  EXPECT_EQ(back.samples.size(), size_t(kClipRate * kMaxClipSeconds));
  EXPECT_NEAR(peak_of(back), 0.9, 0.01);
  EXPECT_EQ(clip_length_text(excerpt), "1.5 of 5.0 s");
}

TEST(AudioExcerpts, ShortClipsAreCompleteAndSilenceIsNotAmplified) {
  const auto excerpt = make_audio_excerpt({4000, std::vector<float>(2000, 1e-6F)});
  EXPECT_EQ(clip_length_text(excerpt), "0.5 s");
  const auto back = io::decode_audio(excerpt.wav, "excerpt");
  EXPECT_EQ(back.rate, 4000);
  EXPECT_LT(peak_of(back), 1e-3);
  EXPECT_TRUE(make_audio_excerpt({8000, {}}).wav.empty());
}

DatasetPtr dataset_of_clips(size_t count) {
  const Clip tone{8000, testing::tone(8000, 440, 8000)};
  return testing::sample_dataset(SampleKind::kAudio, std::vector<Sample>(count, tone),
                                 std::vector<int64_t>(count, 0), {"tone"});
}

TEST(AudioExcerpts, StopAtTheByteBudget) {
  const auto excerpts = make_audio_excerpts(*dataset_of_clips(4), {0, 1, 2, 3}, /*bytes=*/40'000);
  ASSERT_EQ(excerpts.size(), 4U);
  EXPECT_FALSE(excerpts[1].wav.empty());
  EXPECT_TRUE(excerpts[2].wav.empty());
  EXPECT_TRUE(excerpts[3].wav.empty());
}

TEST(AudioExcerpts, AreEmptyForImages) {
  EXPECT_TRUE(make_audio_excerpts(*testing::fake_dataset({0, 1}), {0, 1}).empty());
}

}  // namespace
}  // namespace projnce::dataset
