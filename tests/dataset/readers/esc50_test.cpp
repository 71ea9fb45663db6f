#include "projnce/dataset/readers/audio_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kEscHeading = "filename,fold,target,category,esc10,src_file,take\n";

class Esc50Test : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string file : {"1-a-7.wav", "2-a-0.wav", "5-a-7.wav", "5-b-0.wav"}) {
      folder_.add_clip("audio/" + file);
    }
    write_table(
        "1-a-7.wav,1,7,rooster,False,1,A\n2-a-0.wav,2,0,dog,True,2,A\n"
        "5-a-7.wav,5,7,rooster,False,3,A\n5-b-0.wav,5,0,dog,True,4,B\n");
  }
  void write_table(const std::string& lines) {
    folder_.write_text("meta/esc50.csv", kEscHeading + lines);
  }
  std::string error_on_opening(const Esc50Options& options = {}) {
    return testing::error_message_of([&] { open_esc50(folder_.tree(), options); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(Esc50Test, ClassesAreOrderedByTarget) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_esc50(tree);
    EXPECT_EQ(split.train->kind(), SampleKind::kAudio);
    EXPECT_THAT(split.train->class_names(), ElementsAre("dog", "rooster"));
    EXPECT_THAT(labels_of(*split.train), ElementsAre(1, 0));
    EXPECT_THAT(testing::sample_names(*split.test),
                ElementsAre("audio/5-a-7.wav", "audio/5-b-0.wav"));
    EXPECT_EQ(std::get<Clip>(split.test->decode(0)).samples.size(), 4U);
    EXPECT_TRUE(is_esc50(tree));
  }
}

TEST_F(Esc50Test, AnyFoldCanBeTheTestSplit) {
  EXPECT_THAT(testing::sample_names(*open_esc50(folder_.tree(), {.fold = 2}).test),
              ElementsAre("audio/2-a-0.wav"));
  EXPECT_THAT(error_on_opening({.fold = 3}), HasSubstr("0 clips in fold 3"));
}

TEST_F(Esc50Test, SkipsAndCountsMissingClips) {
  folder_.remove("audio/5-b-0.wav");
  const auto split = open_esc50(folder_.tree());
  EXPECT_EQ(split.test->size(), 1);
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("1 missing clip of meta/esc50.csv")));
}

TEST_F(Esc50Test, SkipsBlankLines) {
  write_table(
      "\n1-a-7.wav,1,7,rooster,False,1,A  \n\n2-a-0.wav,2,0,dog,True,2,A\r\n\n"
      "5-a-7.wav,5,7,rooster,False,3,A\n");
  EXPECT_EQ(open_esc50(folder_.tree()).train->size(), 2);
}

TEST_F(Esc50Test, TypicalLengthDependsOnTheClips) {
  EXPECT_EQ(open_esc50(folder_.tree()).seconds, 0) << "these are shorter than 5 s";
  const auto five = testing::encode_wav(1000, std::vector<int16_t>(5000, 100));
  for (const std::string file : {"1-a-7.wav", "2-a-0.wav"}) folder_.write("audio/" + file, five);
  EXPECT_EQ(open_esc50(folder_.tree()).seconds, 5);
}

TEST_F(Esc50Test, ReportsInvalidLines) {
  write_table("1-a-7.wav,1,7\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("esc50.csv:2 has 3 columns, expected 7"));
  write_table("1-a-7.wav,6,7,rooster,False,1,A\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("esc50.csv:2 has '6' for fold, expected 1 to 5"));
  write_table("1-a-7.wav,1,7x,rooster,False,1,A\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("has '7x' for target, expected 0 to 49"));
  write_table("1-a-7.wav,1,7,rooster,False,1,A\n5-a-7.wav,5,7,hen,False,1,A\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("calls target 7 'rooster' and 'hen'"));
  write_table("1-a-7.wav,1,7,rooster,False,1,A\n1-a-7.wav,5,7,rooster,False,1,A\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("esc50.csv:3 names the clip '1-a-7.wav'"));
  folder_.write_text("meta/esc50.csv", "file,fold\na,1\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("esc50.csv:1 has no column filename"));
  write_table("");
  EXPECT_THAT(error_on_opening(), HasSubstr("no lines after its header"));
}

}  // namespace
}  // namespace projnce::dataset
