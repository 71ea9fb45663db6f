#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using testing::Bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kPlane = 96 * 96;

class Stl10Test : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("train_X.bin", images(4));
    folder_.write("train_y.bin", {3, 1, 10, 2});
    folder_.write("test_X.bin", images(2));
    folder_.write("test_y.bin", {1, 2});
    folder_.write("unlabeled_X.bin", images(3));
    folder_.write_text("class_names.txt",
                       "airplane\nbird\ncar\ncat\ndeer\ndog\nhorse\nmonkey\nship\ntruck\n");
    folder_.write_text("fold_indices.txt", "0 3 \n1 2 \n0 3\n0 3\n0 3\n0 3\n0 3\n0 3\n0 3\n0 4\n");
  }

  /// Image k has the constant value k except for one red pixel.
  static Bytes images(int count) {
    Bytes bytes;
    for (int k = 0; k < count; ++k) {
      const size_t begin = bytes.size();
      bytes.insert(bytes.end(), 3 * kPlane, static_cast<uint8_t>(k));
      bytes[begin + 60 * 96 + 10] = 200;  // column 60, row 10
    }
    return bytes;
  }

  std::string error_on_opening(const Stl10Options& options = {}) {
    return testing::error_message_of([&] { open_stl10(folder_.tree(), options); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(Stl10Test, ReadsLabelsAndColumnsFromAFolderAndAnArchive) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_stl10(tree);
    EXPECT_THAT(labels_of(*split.train), ElementsAre(2, 0, 9, 1));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(0, 1));
    EXPECT_EQ(split.train->class_names()[7], "monkey");
    const auto image = testing::decoded_image(*split.train, 3);
    EXPECT_EQ(image.height, 96);
    EXPECT_EQ(image.pixels[(10 * 96 + 60) * 3], 200) << "row 10, column 60";
    EXPECT_EQ(image.pixels[(60 * 96 + 10) * 3], 3);
    EXPECT_FALSE(split.unlabeled);
    EXPECT_TRUE(is_stl10(tree));
  }
}

TEST_F(Stl10Test, FoldSelectsASubsetOfTheTrainingSplit) {
  EXPECT_THAT(labels_of(*open_stl10(folder_.tree(), {.fold = 1}).train), ElementsAre(0, 9));
  EXPECT_THAT(error_on_opening({.fold = 9}),
              HasSubstr("fold_indices.txt:10 names image '4', expected 0 to 3"));
  folder_.write_text("fold_indices.txt", "0 x\n");
  EXPECT_THAT(error_on_opening({.fold = 0}), HasSubstr("has 1 lines"));
  folder_.remove("fold_indices.txt");
  EXPECT_NE(error_on_opening({.fold = 0}), "nothing was wrong");
  EXPECT_EQ(error_on_opening(), "nothing was wrong") << "folds are optional";
}

TEST_F(Stl10Test, TrainsOnUnlabeledImages) {
  const auto split = open_stl10(folder_.tree(), {.train_split = Stl10Train::kUnlabeled});
  EXPECT_TRUE(split.unlabeled);
  EXPECT_THAT(split.train->class_names(), ElementsAre("unlabeled"));
  EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 0, 0));
  EXPECT_THAT(labels_of(*split.reference), ElementsAre(2, 0, 9, 1));

  const auto both = open_stl10(folder_.tree(), {.train_split = Stl10Train::kTrainAndUnlabeled});
  EXPECT_EQ(both.train->size(), 7);
  EXPECT_EQ(both.train->sample_name(3), "train_X.bin:3");
  EXPECT_EQ(both.train->sample_name(6), "unlabeled_X.bin:2");
  EXPECT_EQ(testing::decoded_image(*both.train, 6).pixels[0], 2);
}

TEST_F(Stl10Test, RequiresUnlabeledImagesOnlyOnRequest) {
  folder_.remove("unlabeled_X.bin");
  EXPECT_EQ(error_on_opening(), "nothing was wrong");
  EXPECT_THAT(error_on_opening({.train_split = Stl10Train::kUnlabeled}),
              HasSubstr("unlabeled_X.bin does not exist"));
}

TEST_F(Stl10Test, ReportsCorruptFiles) {
  folder_.write("train_y.bin", {3, 0, 1, 2});
  EXPECT_THAT(error_on_opening(),
              HasSubstr("train_y.bin has label 0 for image 1, expected 1 to 10"));
  folder_.write("train_y.bin", {3, 11, 1, 2});
  EXPECT_THAT(error_on_opening(), HasSubstr("has label 11"));
  folder_.write("train_y.bin", {3, 1, 1});
  EXPECT_THAT(error_on_opening(), HasSubstr("train_y.bin contains 3 labels for 4 images"));
  folder_.write("train_X.bin", Bytes(27647));
  EXPECT_THAT(error_on_opening(), HasSubstr("train_X.bin has 27647 bytes"));
}

}  // namespace
}  // namespace projnce::dataset
