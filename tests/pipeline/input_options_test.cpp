#include "projnce/pipeline/input_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/core/toml.h"
#include "tests/support/complaint.h"
#include "tests/support/memory_dataset.h"

namespace projnce {
namespace {

using testing::complaint;
using testing::constant_image;
using ::testing::HasSubstr;
using testing::MemoryDataset;

InputOptions resolve(const std::vector<Image>& images, const std::string& settings = "") {
  auto table = parse_toml(settings, "run.toml");
  const MemoryDataset dataset(images, std::vector<int64_t>(images.size(), 0), 1);
  return resolve_input(table, dataset, 1);
}

TEST(InputOptions, SmallSquaresKeepTheirSize) {
  EXPECT_EQ(resolve({constant_image(28, 28, 1, 9), constant_image(28, 28, 1, 3)}).image_size, 28);
  EXPECT_EQ(resolve({constant_image(96, 96, 1, 9)}).image_size, 96);
}

TEST(InputOptions, OtherPicturesGetTheirMedianSideAtMost64) {
  EXPECT_EQ(resolve({constant_image(30, 40, 1, 9)}).image_size, 30);
  EXPECT_EQ(resolve({constant_image(300, 400, 1, 9)}).image_size, 64);
}

TEST(InputOptions, OneColouredPictureMakesThreeChannels) {
  const auto input = resolve({constant_image(8, 8, 1, 255), constant_image(8, 8, 3, 255)});
  EXPECT_EQ(input.channels, 3);
  EXPECT_THAT(input.mean, ::testing::Each(::testing::DoubleNear(1, 1e-9)));
}

TEST(InputOptions, WhatIsGivenStays) {
  const auto input = resolve({constant_image(8, 8, 3, 9)},
                             "image_size = 12\nchannels = 1\nmean = [0.5]\nstd = [0.25]");
  EXPECT_EQ(input.image_size, 12);
  EXPECT_EQ(input.channels, 1);
  EXPECT_EQ(input.mean, std::vector<double>{0.5});
}

TEST(InputOptions, ContradictionsAreNamed) {
  const std::vector<Image> images = {constant_image(8, 8, 3, 9)};
  EXPECT_THAT(complaint([&] { resolve(images, "channels = 2"); }), HasSubstr("1 or 3 channels"));
  EXPECT_THAT(complaint([&] { resolve(images, "mean = [0.5]"); }), HasSubstr("std 0"));
  EXPECT_THAT(complaint([&] { resolve(images, "mean = [0.5]\nstd = [0.5]"); }),
              HasSubstr("for 3 channels"));
}

TEST(InputOptions, TheResolvedTableReadsBackTheSame) {
  Table table;
  const MemoryDataset dataset({constant_image(8, 8, 1, 100)}, {0}, 1);
  const auto input = resolve_input(table, dataset, 1);
  auto again = parse_toml(to_toml(table), "config.toml");
  const auto read = read_input_options(again);
  EXPECT_EQ(read.image_size, input.image_size);
  EXPECT_EQ(read.mean, input.mean);
  EXPECT_EQ(read.std, input.std);
}

}  // namespace
}  // namespace projnce
