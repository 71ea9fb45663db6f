#include "projnce/dataset/readers/image_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Caltech256Test : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"010.beer-mug", "002.american-flag", "257.clutter"}) {
      for (int i = 0; i < 5; ++i) {
        folder_.add_image(concat(name, "/", name.substr(0, 3), "_000", i, ".jpg"));
      }
    }
    folder_.add_image("notes/a.jpg");
    folder_.add_image("010.beer-mug/greg/a.jpg");
  }

  testing::DatasetFolder folder_;
};

TEST_F(Caltech256Test, ClassesAreInNumericalOrderWithoutClutter) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_caltech256(tree, {.hold_out = {.rule = SplitRule::kShuffle}});
    EXPECT_THAT(split.train->class_names(), ElementsAre("american-flag", "beer-mug"));
    EXPECT_THAT(class_counts(*split.train), ElementsAre(4, 4));
    EXPECT_THAT(class_counts(*split.test), ElementsAre(1, 1)) << "nested folders are ignored";
    EXPECT_THAT(split.remarks, Contains(HasSubstr("257.clutter is skipped")));
    EXPECT_THAT(split.remarks, Contains(HasSubstr("holding out 20 % of the samples")));
    EXPECT_TRUE(is_caltech256(tree));
  }
}

TEST_F(Caltech256Test, ClutterIsOptionallyAClass) {
  const auto split = open_caltech256(folder_.tree(), {.clutter = true});
  EXPECT_THAT(split.train->class_names(), ElementsAre("american-flag", "beer-mug", "clutter"));
}

TEST_F(Caltech256Test, RejectsOtherFolders) {
  testing::DatasetFolder other;
  other.add_image("cat/a.jpg");
  EXPECT_FALSE(is_caltech256(other.tree()));
  other.add_image("001.albatross/albatross_0001.jpg");
  other.add_image("002.auklet/auklet_0001.jpg");
  EXPECT_FALSE(is_caltech256(other.tree())) << "numbered classes of another dataset";
  other.remove("001.albatross");
  other.remove("002.auklet");
  EXPECT_THAT(testing::error_message_of([&] { open_caltech256(other.tree()); }),
              HasSubstr("001.ak47"));
  folder_.remove("010.beer-mug");
  EXPECT_THAT(testing::error_message_of([&] { open_caltech256(folder_.tree()); }),
              HasSubstr("has only one class"));
}

}  // namespace
}  // namespace projnce::dataset
