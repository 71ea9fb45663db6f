#include <gtest/gtest.h>

#include "projnce/dataset/readers/file_dataset.h"
#include "projnce/dataset/wrappers/checked_dataset.h"
#include "projnce/dataset/wrappers/wrappers.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"
#include "tests/support/test_images.h"

namespace projnce::dataset {
namespace {

class DecodeRegionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"a.jpg", "b.jpg"}) {
      const auto image = testing::random_image(64, 96, 3, static_cast<uint64_t>(file[0]));
      testing::write_file(dir_.path() / file, testing::encode_jpeg(image));
    }
    files_ = std::make_shared<FileDataset>(
        io::open_file_tree(dir_.path()), SampleKind::kImage, std::vector<std::string>{"one"},
        std::vector<FileDataset::File>{{"a.jpg", 0}, {"b.jpg", 0}});
  }

  static Image part(const Dataset& dataset, int64_t index) {
    return std::get<Image>(dataset.decode_region(index, [](int height, int width) {
      EXPECT_EQ(height, 64);
      EXPECT_EQ(width, 96);
      return DecodeRegion{{8, 16, 32, 40}, 2};
    }));
  }

  testing::ScratchDir dir_;
  DatasetPtr files_;
};

TEST_F(DecodeRegionTest, FilesDecodeOnlyTheRequiredRegion) {
  const auto image = part(*files_, 0);
  ASSERT_TRUE(image.window);
  EXPECT_EQ(*image.window, (ImageWindow{64, 96, {8, 16, 32, 40}, 2}));
  EXPECT_EQ(image.height, 16);
  EXPECT_EQ(image.width, 20);
}

TEST_F(DecodeRegionTest, WrappersForwardTheRequiredRegion) {
  const auto first = part(*files_, 0).pixels;
  const auto second = part(*files_, 1).pixels;
  ASSERT_NE(first, second);
  EXPECT_EQ(part(SubsetDataset(files_, {1}), 0).pixels, second);
  EXPECT_EQ(part(RelabeledDataset(files_, {0, 0}), 1).pixels, second);
  EXPECT_EQ(part(*check_dataset(files_, {.decoding = {}, .memory_budget = 0}).dataset, 1).pixels,
            second);
  const auto gray = part(*with_channels(files_, 1), 0);
  EXPECT_EQ(gray.pixels, with_channels(part(*files_, 0), 1).pixels);
  EXPECT_TRUE(gray.window);
}

TEST_F(DecodeRegionTest, CachedImagesAreComplete) {
  const auto checked = check_dataset(files_, {});
  const auto image = std::get<Image>(checked.dataset->decode_region(0, [](int, int) {
    return DecodeRegion{{0, 0, 1, 1}};
  }));
  EXPECT_FALSE(image.window);
  EXPECT_EQ(image.height, 64);
}

}  // namespace
}  // namespace projnce::dataset
