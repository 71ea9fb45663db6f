#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImagenetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.add_image("train/n01440764/n01440764_10026.JPEG");
    folder_.add_image("train/n02102040/n02102040_1.JPEG");
    folder_.add_image("train/n02102040/n02102040_2.JPEG");
    folder_.add_image("val/n02102040/ILSVRC2012_val_00000001.JPEG");
  }

  testing::DatasetFolder folder_;
};

TEST_F(ImagenetTest, ClassesAreTheSortedFolders) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_imagenet(tree);
    EXPECT_THAT(split.train->class_names(), ElementsAre("n01440764", "n02102040"));
    EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 1, 1));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(1));
    EXPECT_TRUE(is_imagenet(tree));
  }
}

TEST_F(ImagenetTest, NamesComeFromTheMapping) {
  folder_.write_text("LOC_synset_mapping.txt",
                     "n01440764 tench, Tinca tinca\nn02102040 English springer\n");
  EXPECT_THAT(open_imagenet(folder_.tree()).train->class_names(),
              ElementsAre("tench", "English springer"));
}

TEST_F(ImagenetTest, FindsNestedFolders) {
  testing::DatasetFolder deep;
  for (const std::string part : {"train", "val"}) {
    deep.add_image("ILSVRC/Data/CLS-LOC/" + part + "/n01440764/a.JPEG");
    deep.add_image("ILSVRC/Data/CLS-LOC/" + part + "/n02102040/a.JPEG");
  }
  deep.write_text("LOC_synset_mapping.txt", "n01440764 tench\nn02102040 springer\n");
  EXPECT_THAT(open_imagenet(deep.tree()).train->class_names(), ElementsAre("tench", "springer"));
}

TEST_F(ImagenetTest, RejectsUnsortedValidationImagesWithAdvice) {
  folder_.remove("val");
  folder_.add_image("val/ILSVRC2012_val_00000001.JPEG");
  EXPECT_TRUE(is_imagenet(folder_.tree())) << "so that the advice is given";
  EXPECT_THAT(testing::error_message_of([this] { open_imagenet(folder_.tree()); }),
              HasSubstr("move each validation image into a folder"));
}

TEST_F(ImagenetTest, DoesNotRecognizeOtherFolders) {
  folder_.add_image("train/cat/a.jpg");
  EXPECT_FALSE(is_imagenet(folder_.tree()));
  folder_.remove("val");
  EXPECT_THAT(testing::error_message_of([this] { open_imagenet(folder_.tree()); }),
              HasSubstr("contains no folders train and val"));
}

}  // namespace
}  // namespace projnce::dataset
