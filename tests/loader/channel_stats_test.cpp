#include "projnce/loader/channel_stats.h"

#include <gtest/gtest.h>

#include "projnce/core/error.h"
#include "tests/support/memory_dataset.h"

namespace projnce::loader {
namespace {

using testing::MemoryDataset;
using testing::random_dataset;

TEST(ChannelStats, CoverAllPixels) {
  const MemoryDataset dataset({{1, 2, 3, {0, 51, 255, 102, 51, 255}}, {1, 1, 3, {51, 51, 255}}},
                              {0, 0}, 1);
  const auto stats = channel_stats(dataset, {});
  EXPECT_NEAR(stats.mean[0], 0.2, 1e-12);
  EXPECT_NEAR(stats.mean[1], 0.2, 1e-12);
  EXPECT_NEAR(stats.mean[2], 1, 1e-12);
  EXPECT_NEAR(stats.std[0], std::sqrt(2.0 / 3) * 0.2, 1e-12);
  EXPECT_NEAR(stats.std[1], 1.0 / 255, 1e-12);
}

TEST(ChannelStats, ReplicateGrayAndConvertColorToGray) {
  const MemoryDataset mixed({{1, 1, 1, {100}}, {1, 1, 3, {200, 100, 0}}}, {0, 0}, 1);
  const auto color = channel_stats(mixed, {.channels = 3});
  EXPECT_NEAR(color.mean[0] * 255, 150, 1e-9);
  EXPECT_NEAR(color.mean[2] * 255, 50, 1e-9);
  const auto gray = channel_stats(mixed, {.channels = 1});
  ASSERT_EQ(gray.mean.size(), 1U);
  EXPECT_NEAR(gray.mean[0] * 255, (100 + 0.299 * 200 + 58.7) / 2, 1e-9);
}

TEST(ChannelStats, DoNotDependOnTheNumberOfThreads) {
  const auto dataset = random_dataset(50, 2, 9, 3);
  const auto expected = channel_stats(*dataset, {.channels = 1});
  for (const int64_t threads : {2, 5}) {
    const auto stats = channel_stats(*dataset, {.channels = 1, .threads = threads});
    EXPECT_EQ(stats.mean, expected.mean);
    EXPECT_EQ(stats.std, expected.std);
  }
}

TEST(ChannelStats, UseEvenlySpacedSamples) {
  std::vector<Image> images;
  for (int i = 0; i < 10; ++i) images.push_back({1, 1, 1, {static_cast<uint8_t>(i)}});
  const MemoryDataset dataset(std::move(images), testing::cycling_labels(10, 2), 2);
  const auto stats = channel_stats(dataset, {.channels = 1, .max_samples = 2});
  EXPECT_NEAR(stats.mean[0] * 255, 2.5, 1e-9);  // samples 0 and 5
}

TEST(ChannelStats, RejectEmptyDatasetAndInvalidChannels) {
  EXPECT_THROW(channel_stats(*random_dataset(0, 2, 4, 1), {}), Error);
  EXPECT_THROW(channel_stats(*random_dataset(2, 2, 4, 1), {.channels = 2}), Error);
}

}  // namespace
}  // namespace projnce::loader
