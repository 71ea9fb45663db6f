#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "projnce/augment/audio/log_mel.h"
#include "projnce/core/error.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/dataset/wrappers/clips.h"
#include "tests/support/audio_files.h"
#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::HasSubstr;

constexpr int kRate = 8000;

/// Low and high tones in two class folders, six each, of 0.3 to 0.8 s.
void write_tones(const std::filesystem::path& root) {
  for (int i = 0; i < 12; ++i) {
    const bool high = i % 2 == 1;
    const auto name = std::string(high ? "high/" : "low/") + std::to_string(i) + ".wav";
    std::vector<float> samples(static_cast<size_t>(kRate * (3 + i / 2)) / 10);
    for (size_t t = 0; t < samples.size(); ++t) {
      samples[t] = 0.5F * std::sin(static_cast<float>(t) * (high ? 1.1F : 0.2F));
    }
    testing::write_file(root / name, testing::encode_float_wav(kRate, samples));
  }
}

OpenedDataset open_tones(const std::filesystem::path& root, ClipFormat audio = {}) {
  auto options = dataset_options("folder");
  options.root = root.native();
  options.layout = HoldOut{.rule = SplitRule::kShuffle};  // the same fraction of every class
  OpenContext context;
  context.audio = audio;
  return open_dataset(options, context);
}

TEST(AudioDatasets, GetACommonRateAndLength) {
  const testing::ScratchDir dir;
  write_tones(dir.path());
  const auto opened = open_tones(dir.path());
  EXPECT_EQ(opened.train->kind(), SampleKind::kAudio);
  EXPECT_EQ(opened.audio.rate, 16000);
  EXPECT_DOUBLE_EQ(opened.audio.seconds, 0.7);  // 95th percentile of the training clips
  for (const auto& part : {opened.train, opened.test}) {
    for (int64_t i = 0; i < part->size(); ++i) {
      const auto clip = std::get<Clip>(part->decode(i));
      EXPECT_EQ(clip.rate, 16000);
      EXPECT_EQ(clip.samples.size(), 11200U);
    }
  }
}

TEST(AudioDatasets, UseTheGivenLength) {
  const testing::ScratchDir dir;
  write_tones(dir.path());
  const auto opened = open_tones(dir.path(), {.rate = kRate, .seconds = 0.25});
  EXPECT_EQ(std::get<Clip>(opened.train->decode(0)).samples.size(), 2000U);
}

TEST(AudioDatasets, RejectFeatureNoise) {
  const testing::ScratchDir dir;
  write_tones(dir.path());
  auto options = dataset_options("folder");
  options.root = dir.path().native();
  options.feature_noise.deviation = 70;
  EXPECT_THAT(testing::error_message_of([&] { open_dataset(options, {}); }),
              HasSubstr("needs images"));
}

TEST(Spectrograms, EqualTheFrontEndWithAndWithoutCache) {
  const testing::ScratchDir dir;
  write_tones(dir.path() / "data");
  const auto opened = open_tones(dir.path() / "data");
  const augment::MelOptions mel{.seconds = opened.audio.seconds};
  const auto plain = to_spectrograms(opened.train, mel, nullptr);
  const auto cache = std::make_shared<io::FeatureCache>(dir.path() / "cache");
  const auto cached = to_spectrograms(opened.train, mel, cache);
  augment::LogMel front_end(mel);
  for (int64_t i = 0; i < opened.train->size(); ++i) {
    Features expected;
    front_end.compute(std::get<Clip>(opened.train->decode(i)).samples, expected);
    EXPECT_EQ(std::get<Features>(plain->decode(i)).values, expected.values);
    EXPECT_EQ(std::get<Features>(cached->decode(i)).values, expected.values);  // stores
    EXPECT_EQ(std::get<Features>(cached->decode(i)).values, expected.values);  // finds
  }
  const auto entries =
      std::distance(std::filesystem::recursive_directory_iterator(dir.path() / "cache"),
                    std::filesystem::recursive_directory_iterator());
  EXPECT_GE(entries, opened.train->size());
}

TEST(Spectrograms, AreRecomputedIfTheFileChanges) {
  const testing::ScratchDir dir;
  write_tones(dir.path() / "data");
  const auto cache = std::make_shared<io::FeatureCache>(dir.path() / "cache");
  const augment::MelOptions mel{.rate = kRate, .seconds = 0.5};
  const auto first = [&] {
    const auto opened = open_tones(dir.path() / "data", {.rate = kRate, .seconds = 0.5});
    return std::get<Features>(to_spectrograms(opened.train, mel, cache)->decode(0)).values;
  };
  const auto before = first();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path() / "data")) {
    if (!entry.is_regular_file()) continue;
    testing::write_file(entry.path(),
                        testing::encode_float_wav(kRate, std::vector<float>(1000, 0.25F)));
  }
  EXPECT_NE(first(), before);
}

}  // namespace
}  // namespace projnce::dataset
