#include "projnce/dataset/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/folder.h"
#include "tests/support/data_files.h"
#include "tests/support/fake_dataset.h"
#include "tests/support/scratch_dir.h"

namespace projnce {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Inspect, CountsClassesSizesAndChannels) {
  const testing::ScratchDir dir;
  const auto add = [&](const std::string& file, int height, const testing::Bytes& colour) {
    testing::write_file(dir.path() / file,
                        testing::encode_png(testing::plain_image(height, 2 * height, colour)));
  };
  add("train/cat/a.png", 4, {1});
  add("train/cat/b.png", 9, {1, 2, 3});
  add("train/dog/a.png", 6, {1});
  add("test/dog/a.png", 5, {1});
  testing::write_file(dir.path() / "train/dog/b.png", {});

  const auto info = inspect(open_folder(open_file_tree(dir.path()), {}), {.threads = 2});
  EXPECT_THAT(info.class_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(info.train.samples, 4);
  EXPECT_THAT(info.train.per_class, ElementsAre(2, 2));
  EXPECT_EQ(info.train.height.min, 4);
  EXPECT_EQ(info.train.height.median, 6);
  EXPECT_EQ(info.train.height.max, 9);
  EXPECT_EQ(info.train.width.max, 18);
  EXPECT_THAT(info.train.channels, ElementsAre(Pair(1, 2), Pair(3, 1)));
  ASSERT_EQ(info.train.damaged.size(), 1U);
  EXPECT_EQ(info.train.damaged[0].name, "train/dog/b.png");
  EXPECT_FALSE(info.intact());
  EXPECT_EQ(info.test.samples, 1);
}

TEST(Inspect, APartWithoutReadableSamplesHasNoSizes) {
  const auto info = inspect({testing::fake_dataset({0}, {0}), testing::fake_dataset({0})}, {});
  EXPECT_EQ(info.train.height.max, 0);
  EXPECT_TRUE(info.train.channels.empty());
  EXPECT_TRUE(info.test.damaged.empty());
}

}  // namespace
}  // namespace projnce
