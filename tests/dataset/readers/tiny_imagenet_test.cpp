#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TinyImagenetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write_text("wnids.txt", "n02000000\nn01000000\n");
    folder_.write_text("words.txt",
                       "n00000001\tthing\nn01000000\tgoldfish, Carassius auratus\n"
                       "n02000000\tcrane\n");
    folder_.add_image("train/n02000000/images/n02000000_0.JPEG");
    folder_.add_image("train/n01000000/images/n01000000_0.JPEG");
    folder_.add_image("train/n01000000/images/n01000000_1.JPEG");
    folder_.write_text("train/n01000000/n01000000_boxes.txt", "n01000000_0.JPEG\t0\t0\t9\t9\n");
    folder_.add_image("val/images/val_0.JPEG");
    folder_.add_image("val/images/val_1.JPEG");
    annotate("val_1.JPEG\tn02000000\t0\t0\t63\t63\nval_0.JPEG\tn01000000\t0\t0\t63\t63\n");
    folder_.add_image("test/images/test_0.JPEG");
  }

  void annotate(const std::string& text) { folder_.write_text("val/val_annotations.txt", text); }
  std::string error_on_opening() {
    return testing::error_message_of([this] { open_tiny_imagenet(folder_.tree()); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(TinyImagenetTest, ReadsClassesInListOrder) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_tiny_imagenet(tree);
    EXPECT_THAT(split.train->class_names(), ElementsAre("crane", "goldfish"));
    EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 1, 1));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(0, 1));
    EXPECT_EQ(split.test->sample_name(0), "val/images/val_1.JPEG");
    EXPECT_EQ(testing::decoded_image(*split.test, 0).width, 3);
    EXPECT_TRUE(is_tiny_imagenet(tree));
  }
}

TEST_F(TinyImagenetTest, DistinguishesClassesOfTheSameName) {
  folder_.write_text("words.txt", "n01000000\tcrane, a machine\nn02000000\tcrane, a bird\n");
  EXPECT_THAT(open_tiny_imagenet(folder_.tree()).train->class_names(),
              ElementsAre("crane (n02000000)", "crane (n01000000)"));
  folder_.remove("words.txt");
  EXPECT_THAT(open_tiny_imagenet(folder_.tree()).train->class_names(),
              ElementsAre("n02000000", "n01000000"));
}

TEST_F(TinyImagenetTest, ReportsClassesWithoutImages) {
  folder_.write_text("wnids.txt", "n02000000\nn01000000\nn99999999\n");
  EXPECT_THAT(error_on_opening(),
              HasSubstr("names the class n99999999, but this folder does not exist"));
  folder_.write_text("wnids.txt", "n02000000\n../n01000000\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("'../n01000000'"));
}

TEST_F(TinyImagenetTest, ReportsInvalidAnnotationsWithTheirLines) {
  annotate("val_0.JPEG\tn01000000\t0\t0\t63\t63\ngarbage\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("val_annotations.txt:2 has one column"));
  annotate("val_0.JPEG\tn00000000\t0\t0\t63\t63\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("val_annotations.txt:1 has the class 'n00000000'"));
  annotate("val_7.JPEG\tn01000000\t0\t0\t63\t63\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("names the image 'val_7.JPEG'"));
  annotate("../../train/n01000000/images/n01000000_0.JPEG\tn01000000\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("is a duplicate or missing in"));
  annotate("val_0.JPEG\tn01000000\nval_0.JPEG\tn02000000\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("val_annotations.txt:2"));
  annotate("");
  EXPECT_THAT(error_on_opening(), HasSubstr("names no image"));
}

}  // namespace
}  // namespace projnce::dataset
