#include "projnce/config/input_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "tests/support/error_message.h"
#include "tests/support/memory_dataset.h"

namespace projnce::config {
namespace {

using testing::constant_image;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::MemoryDataset;

InputSettings settings_in(const std::string& text) {
  return read_options<InputSettings>(parse_toml(text, "run.toml"), "input");
}

InputOptions resolve(const std::vector<Image>& images, const std::string& settings = "") {
  const MemoryDataset dataset(images, std::vector<int64_t>(images.size(), 0), 1);
  return resolve_input(settings_in(settings), dataset, 1);
}

/// Writes options as TOML and reads them back.
InputOptions round_trip(const InputOptions& options) {
  return input_options(settings_in(projnce::to_toml(to_table(input_settings(options)))));
}

TEST(InputOptions, SmallSquaresKeepTheirSize) {
  EXPECT_EQ(resolve({constant_image(28, 28, 1, 9), constant_image(28, 28, 1, 3)}).image_size, 28);
  EXPECT_EQ(resolve({constant_image(96, 96, 1, 9)}).image_size, 96);
}

TEST(InputOptions, OtherImagesUseTheMedianShorterSideUpTo64) {
  EXPECT_EQ(resolve({constant_image(30, 40, 1, 9)}).image_size, 30);
  EXPECT_EQ(resolve({constant_image(300, 400, 1, 9)}).image_size, 64);
}

TEST(InputOptions, OneColorImageImpliesThreeChannels) {
  const auto input = resolve({constant_image(8, 8, 1, 255), constant_image(8, 8, 3, 255)});
  EXPECT_EQ(input.channels, 3);
  EXPECT_THAT(input.mean, ::testing::Each(::testing::DoubleNear(1, 1e-9)));
}

TEST(InputOptions, KeepsGivenSettings) {
  const auto input = resolve({constant_image(8, 8, 3, 9)},
                             "image_size = 12\nchannels = 1\nmean = [0.5]\nstd = [0.25]");
  EXPECT_EQ(input.image_size, 12);
  EXPECT_EQ(input.channels, 1);
  EXPECT_EQ(input.mean, std::vector<double>{0.5});
}

TEST(InputOptions, RejectsContradictorySettings) {
  const std::vector<Image> images = {constant_image(8, 8, 3, 9)};
  EXPECT_THAT(error_message_of([&] { resolve(images, "channels = 2"); }),
              HasSubstr("1 or 3 channels"));
  EXPECT_THAT(error_message_of([&] { resolve(images, "mean = [0.5]"); }), HasSubstr("std 0"));
  EXPECT_THAT(error_message_of([&] { resolve(images, "mean = [0.5]\nstd = [0.5]"); }),
              HasSubstr("for 3 channels"));
}

TEST(InputOptions, ResolvedSettingsRoundTrip) {
  const auto input = resolve({constant_image(8, 8, 1, 100)});
  const auto read = round_trip(input);
  EXPECT_THAT(projnce::to_toml(to_table(input_settings(input))),
              ::testing::StartsWith("channels = 1\nimage_size = 8\nkind = 'image'\nmean = ["));
  EXPECT_EQ(read.image_size, input.image_size);
  EXPECT_EQ(read.mean, input.mean);
  EXPECT_EQ(read.std, input.std);
}

/// Dataset of one vector or spectrogram.
class FeatureDataset : public MemoryDataset {
 public:
  FeatureDataset(SampleKind kind, const Features& features)
      : MemoryDataset({constant_image(1, 1, 1, 0)}, {0}, 1), kind_(kind), features_(features) {}

  SampleKind kind() const override { return kind_; }
  Sample decode(int64_t /*index*/) const override { return features_; }

 private:
  SampleKind kind_;
  Features features_;
};

TEST(InputOptions, AudioKeepsItsSectionAndHasOneMean) {
  const FeatureDataset dataset(SampleKind::kAudio, {1, 128, 17, std::vector<float>(128 * 17, -3)});
  const auto input =
      resolve_input(settings_in("[audio]\nseconds = 0.5\nscale = 'slaney'"), dataset, 1);
  EXPECT_EQ(input.shape().height, 128);
  EXPECT_EQ(input.shape().width, 16);
  EXPECT_EQ(input.mean, std::vector<double>{-3});
  const auto read = round_trip(input);
  EXPECT_EQ(read.kind, SampleKind::kAudio);
  EXPECT_EQ(read.mel.scale, augment::MelScale::kSlaney);
  EXPECT_EQ(read.mel.seconds, 0.5);
  EXPECT_FALSE(to_table(input_settings(input)).has("image_size"));
}

TEST(InputOptions, InfersTheVectorSize) {
  const FeatureDataset dataset(SampleKind::kVector, {4, 1, 1, {1, 2, 3, 4}});
  const auto input = resolve_input({}, dataset, 1);
  EXPECT_EQ(input.shape().channels, 4);
  EXPECT_EQ(input.format().values(), 4U);
  EXPECT_EQ(input.mean, std::vector<double>{2.5});
  EXPECT_THAT(error_message_of([&] { resolve_input(settings_in("vector_size = 5"), dataset, 1); }),
              HasSubstr("vectors of dimension 4"));
}

TEST(InputOptions, RejectsSettingsOfAnotherKind) {
  const std::vector<Image> images = {constant_image(8, 8, 3, 9)};
  EXPECT_THAT(error_message_of([&] { resolve(images, "vector_size = 3"); }), HasSubstr("'image'"));
  EXPECT_THAT(error_message_of([&] { resolve(images, "[audio]\nhop = 64"); }),
              HasSubstr("'image'"));
  EXPECT_THAT(error_message_of([&] { resolve(images, "kind = 'audio'"); }), HasSubstr("'image'"));
}

}  // namespace
}  // namespace projnce::config
