#include "projnce/dataset/inspect/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/readers/class_folders.h"
#include "tests/support/data_files.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/sample_dataset.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Inspect, CountsClassesSizesAndChannels) {
  const testing::ScratchDir dir;
  const auto add = [&](const std::string& file, int height, const testing::Bytes& color) {
    testing::write_file(dir.path() / file,
                        testing::encode_png(testing::plain_image(height, 2 * height, color)));
  };
  add("train/cat/a.png", 4, {1});
  add("train/cat/b.png", 9, {1, 2, 3});
  add("train/dog/a.png", 6, {1});
  add("test/dog/a.png", 5, {1});
  testing::write_file(dir.path() / "train/dog/b.png", {});

  const auto info = inspect(open_folder(io::open_file_tree(dir.path()), {}), {.threads = 2});
  EXPECT_THAT(info.class_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(info.train.samples, 4);
  EXPECT_THAT(info.train.per_class, ElementsAre(2, 2));
  EXPECT_EQ(info.train.height.min, 4);
  EXPECT_EQ(info.train.height.median, 6);
  EXPECT_EQ(info.train.height.max, 9);
  EXPECT_EQ(info.train.width.max, 18);
  EXPECT_THAT(info.train.channels, ElementsAre(Pair(1, 2), Pair(3, 1)));
  ASSERT_EQ(info.train.corrupt.size(), 1U);
  EXPECT_EQ(info.train.corrupt[0].name, "train/dog/b.png");
  EXPECT_FALSE(info.valid());
  EXPECT_EQ(info.test.samples, 1);
}

TEST(Inspect, SplitWithoutReadableSamplesHasNoSizes) {
  const auto info = inspect({testing::fake_dataset({0}, {0}), testing::fake_dataset({0})}, {});
  EXPECT_EQ(info.train.height.max, 0);
  EXPECT_TRUE(info.train.channels.empty());
  EXPECT_TRUE(info.test.corrupt.empty());
}

Clip silence(int rate, size_t samples) {
  return {rate, std::vector<float>(samples)};
}

DatasetPtr sounds(std::vector<Sample> clips) {
  std::vector<int64_t> labels(clips.size(), 0);
  return testing::sample_dataset(SampleKind::kSound, std::move(clips), std::move(labels), {"a"});
}

TEST(Inspect, CountsRatesAndSecondsOfSounds) {
  const auto train =
      sounds({silence(8000, 4000), silence(16000, 32000), Clip{}, silence(8000, 8000)});
  const auto info = inspect({train, sounds({})}, {.threads = 2});
  EXPECT_EQ(info.kind, SampleKind::kSound);
  EXPECT_THAT(info.train.rates, ElementsAre(Pair(8000, 2), Pair(16000, 1)));
  EXPECT_DOUBLE_EQ(info.train.seconds.min, 0.5);
  EXPECT_DOUBLE_EQ(info.train.seconds.median, 1);
  EXPECT_DOUBLE_EQ(info.train.seconds.max, 2);
  EXPECT_DOUBLE_EQ(info.train.total_seconds, 3.5);
  ASSERT_EQ(info.train.corrupt.size(), 1U);
  EXPECT_EQ(info.train.corrupt[0].name, "sample-2");
  EXPECT_TRUE(info.train.channels.empty());
}

TEST(Inspect, ReportsTheDimensionOfVectors) {
  const auto vectors = [](std::vector<Sample> samples) {
    std::vector<int64_t> labels(samples.size(), 0);
    return testing::sample_dataset(SampleKind::kVector, std::move(samples), std::move(labels),
                                   {"a"});
  };
  const Features vector{5, 1, 1, {1, 2, 3, 4, 5}};
  const auto info = inspect({vectors({vector, vector}), vectors({})}, {});
  EXPECT_EQ(info.train.dimension, 5);
  EXPECT_EQ(info.test.dimension, 0);
}

TEST(Inspect, CountsOptionalSplits) {
  DatasetSplit split{testing::fake_dataset({0, 0, 0}), testing::fake_dataset({0, 1})};
  split.reference = testing::fake_dataset({0, 1, 1, 1});
  split.background = sounds({silence(8000, 80), Clip{}});
  split.unlabeled = true;
  split.remarks = {"this is a subset"};
  int64_t last = 0;
  int64_t total = 0;
  const auto info = inspect(split, {.threads = 1, .on_progress = [&](int64_t done, int64_t all) {
                                      EXPECT_GE(done, last);
                                      last = done;
                                      total = all;
                                    }});
  ASSERT_TRUE(info.reference && info.background);
  EXPECT_THAT(info.class_names, ElementsAre("class-0", "class-1"));
  EXPECT_THAT(info.train.class_names, ElementsAre("class-0"));
  EXPECT_THAT(info.labeled().per_class, ElementsAre(1, 3));
  EXPECT_EQ(info.background->rates.at(8000), 1);
  EXPECT_EQ(info.samples(), 11);
  EXPECT_EQ(info.corrupt(), 1);
  EXPECT_FALSE(info.valid());
  EXPECT_THAT(info.remarks, ElementsAre("this is a subset"));
  EXPECT_EQ(last, 11);
  EXPECT_EQ(total, 11);
}

TEST(Inspect, SupportsSamplesWithoutClasses) {
  const auto one = testing::sample_dataset(SampleKind::kImage, {Image{1, 1, 1, {7}}}, {0}, {});
  const auto none = testing::sample_dataset(SampleKind::kImage, {}, {}, {});
  const auto info = inspect({one, none}, {});
  EXPECT_EQ(info.train.samples, 1);
  EXPECT_TRUE(info.train.per_class.empty());
  EXPECT_TRUE(info.valid());
}

}  // namespace
}  // namespace projnce::dataset
