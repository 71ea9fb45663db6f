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
using ::testing::IsEmpty;

class Food101Test : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"paella", "ramen"}) {
      for (int i = 0; i < 3; ++i) folder_.add_image(concat("images/", name, "/", i, ".jpg"));
    }
    folder_.write_text("meta/classes.txt", "paella\nramen\n");
    folder_.write_text("meta/train.txt", "paella/0\npaella/1\nramen/0\nramen/1\n");
    folder_.write_text("meta/test.txt", "paella/2\nramen/2\n");
  }
  std::string error_on_opening() {
    return testing::error_message_of([this] { open_food101(folder_.tree()); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(Food101Test, ReadsTheListsFromAFolderAndAnArchive) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_food101(tree);
    EXPECT_THAT(split.train->class_names(), ElementsAre("paella", "ramen"));
    EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(testing::sample_names(*split.test),
                ElementsAre("images/paella/2.jpg", "images/ramen/2.jpg"));
    EXPECT_EQ(testing::decoded_image(*split.test, 1).height, 2);
    EXPECT_THAT(split.remarks, IsEmpty());
    EXPECT_TRUE(is_food101(tree));
  }
}

TEST_F(Food101Test, SkipsAndCountsMissingImages) {
  folder_.remove("images/ramen/0.jpg");
  const auto split = open_food101(folder_.tree());
  EXPECT_THAT(labels_of(*split.train), ElementsAre(0, 0, 1));
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("1 missing image of meta/train.txt")));
}

TEST_F(Food101Test, ReportsInvalidLists) {
  folder_.write_text("meta/test.txt", "paella/2\nsoup/2\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("meta/test.txt:2 names 'soup/2'"));
  folder_.write_text("meta/test.txt", "paella/1\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("meta/test.txt:1 names the image 'paella/1'"));
  folder_.write_text("meta/test.txt", "paella/../../../etc/passwd\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("names no existing image"));
  folder_.remove("meta/test.txt");
  EXPECT_THAT(error_on_opening(), HasSubstr("meta/test.txt"));
}

}  // namespace
}  // namespace projnce::dataset
