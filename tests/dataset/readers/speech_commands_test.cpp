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
using ::testing::IsEmpty;

class SpeechCommandsLoaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string word : {"yes", "no"}) {
      for (int i = 0; i < 4; ++i) folder_.add_clip(concat(word, "/a_nohash_", i, ".wav"));
    }
    folder_.add_clip("_background_noise_/tap.wav");
    folder_.write_text("_background_noise_/README.md", "noises\n");
    folder_.write_text("testing_list.txt", "yes/a_nohash_0.wav\nno/a_nohash_0.wav\n");
    folder_.write_text("validation_list.txt", "yes/a_nohash_1.wav\r\n\r\n");
  }
  std::string error_on_opening(const SpeechCommandsOptions& options = {}) {
    return testing::error_message_of([&] { open_speech_commands(folder_.tree(), options); });
  }

  testing::DatasetFolder folder_;
};

TEST_F(SpeechCommandsLoaderTest, ListsSplitTheClipsOfAFolderAndAnArchive) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_speech_commands(tree);
    EXPECT_EQ(split.train->kind(), SampleKind::kAudio);
    EXPECT_THAT(split.train->class_names(), ElementsAre("no", "yes"));
    EXPECT_THAT(testing::sample_names(*split.train),
                ElementsAre("no/a_nohash_1.wav", "no/a_nohash_2.wav", "no/a_nohash_3.wav",
                            "yes/a_nohash_2.wav", "yes/a_nohash_3.wav"));
    EXPECT_THAT(testing::sample_names(*split.test),
                ElementsAre("no/a_nohash_0.wav", "yes/a_nohash_0.wav"));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(0, 1));
    ASSERT_NE(split.background, nullptr);
    EXPECT_THAT(testing::sample_names(*split.background),
                ElementsAre("_background_noise_/tap.wav"));
    EXPECT_THAT(split.background->class_names(), IsEmpty());
    EXPECT_THAT(split.remarks, IsEmpty());
    EXPECT_TRUE(is_speech_commands(tree));
  }
}

TEST_F(SpeechCommandsLoaderTest, ValidationListCanBeTheTestSplit) {
  const auto split =
      open_speech_commands(folder_.tree(), {.evaluate_on = SpeechCommandsTest::kValidation});
  EXPECT_THAT(testing::sample_names(*split.test), ElementsAre("yes/a_nohash_1.wav"));
  EXPECT_EQ(split.train->size(), 5) << "the other list is unused";
}

TEST_F(SpeechCommandsLoaderTest, SelectsListsBySuffix) {
  folder_.write_text("testing_list_mine.txt", "no/a_nohash_3.wav\n");
  folder_.write_text("validation_list_mine.txt", "");
  const auto split = open_speech_commands(folder_.tree(), {.lists = "mine"});
  EXPECT_THAT(testing::sample_names(*split.test), ElementsAre("no/a_nohash_3.wav"));
  EXPECT_EQ(split.train->size(), 7);
  EXPECT_THAT(error_on_opening({.lists = "yours"}),
              HasSubstr("testing_list_yours.txt does not exist"));
  EXPECT_THAT(error_on_opening({.lists = "/../../x"}), HasSubstr("lists = '/../../x'"));
}

TEST_F(SpeechCommandsLoaderTest, SkipsAndCountsMissingEntries) {
  folder_.write_text("testing_list.txt",
                     "../../../etc/passwd\n/etc/hostname\nyes/missing.wav\n"
                     "_background_noise_/tap.wav\nyes/a_nohash_0.wav\n");
  const auto split = open_speech_commands(folder_.tree());
  EXPECT_THAT(testing::sample_names(*split.test), ElementsAre("yes/a_nohash_0.wav"));
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("4 of 5 entries of testing_list.txt")));
}

TEST_F(SpeechCommandsLoaderTest, RejectsLeaksAndEmptySplits) {
  folder_.write_text("validation_list.txt", "yes/a_nohash_1.wav\nyes/a_nohash_0.wav\n");
  EXPECT_THAT(error_on_opening(),
              HasSubstr("validation_list.txt:2 names the clip 'yes/a_nohash_0.wav'"));
  folder_.write_text("validation_list.txt", "");
  folder_.write_text("testing_list.txt", "no/missing.wav\n");
  EXPECT_THAT(error_on_opening(), HasSubstr("testing_list.txt names no clip"));
}

TEST_F(SpeechCommandsLoaderTest, SkipsWordsWithoutClipsWithAWarning) {
  std::filesystem::create_directory(folder_.root() / "up");
  folder_.write_text("down/a.m4a", "x");
  const auto split = open_speech_commands(folder_.tree());
  EXPECT_THAT(split.train->class_names(), ElementsAre("no", "yes"));
  EXPECT_THAT(split.warnings,
              ElementsAre(HasSubstr("/down contains no audio clip"),
                          HasSubstr("/up contains no audio clip"),
                          HasSubstr("1 .m4a file is not supported, such as down/a.m4a")));
}

TEST_F(SpeechCommandsLoaderTest, IgnoresBlankLinesSpacesAndDotsInLists) {
  folder_.write_text("testing_list.txt",
                     "\n  \nyes/a_nohash_0.wav  \r\n\n./no/a_nohash_0.wav\t\n\n\n");
  const auto split = open_speech_commands(folder_.tree());
  EXPECT_THAT(testing::sample_names(*split.test),
              ElementsAre("no/a_nohash_0.wav", "yes/a_nohash_0.wav"));
  EXPECT_THAT(split.remarks, IsEmpty());
  EXPECT_TRUE(is_speech_commands(folder_.tree()));
}

/// Two words with arbitrary file names, each of `seconds` length.
void write_plain_words(testing::DatasetFolder& folder, double seconds) {
  const std::vector<int16_t> samples(static_cast<size_t>(8000 * seconds), 100);
  for (const std::string word : {"left", "right"}) {
    for (int i = 0; i < 5; ++i) {
      folder.write(concat(word, "/take", i, ".wav"), testing::encode_wav(8000, samples));
    }
  }
  folder.write_text("testing_list.txt", "left/take0.wav\nright/take0.wav\n");
  folder.write_text("validation_list.txt", "left/take1.wav\n");
}

TEST(SpeechCommandsLayout, AcceptsNamesWithoutNohash) {
  testing::DatasetFolder folder;
  write_plain_words(folder, 0.5);
  EXPECT_TRUE(is_speech_commands(folder.tree()));
  const auto split = open_speech_commands(folder.tree());
  EXPECT_EQ(split.train->size(), 7);
  EXPECT_EQ(split.test->size(), 2);
  EXPECT_EQ(split.seconds, 1);
}

TEST(SpeechCommandsLayout, LongClipsAreNotRecognizedAndKeepTheirLength) {
  testing::DatasetFolder folder;
  write_plain_words(folder, 5);
  EXPECT_FALSE(is_speech_commands(folder.tree()));
  EXPECT_THAT(why_not_speech_commands(folder.tree()).value_or(""),
              HasSubstr("the clips last 5 s, not 1 s"));
  const auto requested = open_speech_commands(folder.tree());
  EXPECT_EQ(requested.test->size(), 2) << "the lists apply if the layout is requested";
  EXPECT_EQ(requested.seconds, 0) << "determined from the data";
}

TEST(SpeechCommandsLayout, ListsWithoutClipsAreNotRecognized) {
  testing::DatasetFolder folder;
  write_plain_words(folder, 0.5);
  folder.write_text("testing_list.txt", "a.wav\nleft/missing.wav\n");
  folder.write_text("validation_list.txt", "");
  EXPECT_EQ(why_not_speech_commands(folder.tree()), "they name no audio files of class folders");
  folder.remove("validation_list.txt");
  EXPECT_EQ(why_not_speech_commands(folder.tree()), std::nullopt);
}

}  // namespace
}  // namespace projnce::dataset
