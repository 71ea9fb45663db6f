#include "projnce/dataset/readers/audio_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Not a designated initializer: GCC 12 warns about temporaries in them.
CremaDOptions with_test_speakers(std::vector<std::string> speakers) {
  CremaDOptions options;
  options.test_speakers = std::move(speakers);
  return options;
}

class CremaDTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int speaker = 1001; speaker <= 1010; ++speaker) {
      folder_.add_clip(concat("AudioWAV/", speaker, "_DFA_ANG_XX.wav"));
      folder_.add_clip(concat("AudioWAV/", speaker, "_DFA_SAD_HI.wav"));
    }
  }
  std::vector<std::string> test_names(const CremaDOptions& options) {
    return testing::sample_names(*open_crema_d(folder_.tree(), options).test);
  }

  testing::DatasetFolder folder_;
};

TEST_F(CremaDTest, ReadsEmotionsFromNamesInAFolderAndAnArchive) {
  for (const auto& tree : {folder_.tree(), folder_.packed()}) {
    const auto split = open_crema_d(tree, with_test_speakers({"1003", "1001"}));
    EXPECT_EQ(split.train->kind(), SampleKind::kAudio);
    EXPECT_THAT(split.train->class_names(),
                ElementsAre("anger", "disgust", "fear", "happy", "neutral", "sad"));
    EXPECT_THAT(labels_of(*split.test), ElementsAre(0, 5, 0, 5));
    EXPECT_THAT(testing::sample_names(*split.test),
                Each(::testing::AnyOf(StartsWith("AudioWAV/1001_"), StartsWith("AudioWAV/1003_"))));
    EXPECT_EQ(split.train->size(), 16);
    EXPECT_EQ(std::get<Clip>(split.train->decode(0)).rate, 8000);
    EXPECT_TRUE(is_crema_d(tree));
  }
}

TEST_F(CremaDTest, SplitsAreSpeakerDisjointAndDependOnTheSeed) {
  const auto with = [](double fraction, uint64_t seed) {
    return CremaDOptions{
        .hold_out = {.test_fraction = fraction, .seed = seed, .rule = SplitRule::kShuffle}};
  };
  const auto split = open_crema_d(folder_.tree(), with(0.3, 1));
  EXPECT_EQ(split.test->size(), 6);
  EXPECT_EQ(split.train->size(), 14);
  EXPECT_THAT(class_counts(*split.test), ElementsAre(3, 0, 0, 0, 0, 3));
  EXPECT_EQ(test_names(with(0.3, 1)), testing::sample_names(*split.test));
  EXPECT_NE(test_names(with(0.3, 2)), testing::sample_names(*split.test));
  EXPECT_EQ(test_names(with(0.01, 0)).size(), 2U) << "at least one speaker";
}

TEST_F(CremaDTest, SpeakersKeepTheirSplitIfOthersChange) {
  const CremaDOptions options{.hold_out = {.test_fraction = 0.4}};
  const auto before = test_names(options);
  EXPECT_GT(before.size(), 2U);
  EXPECT_LT(before.size(), 20U);
  for (int speaker = 1011; speaker <= 1020; ++speaker) {
    folder_.add_clip(concat("AudioWAV/", speaker, "_DFA_ANG_XX.wav"));
    folder_.add_clip(concat("AudioWAV/", speaker, "_DFA_SAD_HI.wav"));
  }
  auto after = test_names(options);
  EXPECT_GT(after.size(), before.size());
  std::erase_if(after, [](const std::string& name) { return name >= "AudioWAV/1011"; });
  EXPECT_EQ(after, before);
  EXPECT_EQ(test_names({.hold_out = {.test_fraction = 1e-9}}).size(), 2U) << "at least one speaker";
}

TEST(CremaDLayout, FolderNameAloneIsNotRecognized) {
  testing::DatasetFolder other;
  other.add_clip("AudioWAV/bark.wav");
  other.add_clip("meow/a.wav");
  EXPECT_FALSE(is_crema_d(other.tree()));
}

TEST_F(CremaDTest, SkipsAndCountsOtherNames) {
  folder_.add_clip("AudioWAV/1003_DFA_ZZZ_XX.wav");
  folder_.add_clip("AudioWAV/1003_DFA.wav");
  folder_.add_clip("AudioWAV/notes_a_SAD_c.wav");
  const auto split = open_crema_d(folder_.tree());
  EXPECT_EQ(split.train->size() + split.test->size(), 20);
  EXPECT_THAT(split.remarks, Contains(HasSubstr("skipped 3 files")));
}

TEST_F(CremaDTest, ReportsInvalidSpeakers) {
  EXPECT_THAT(testing::error_message_of([&] { test_names(with_test_speakers({"1011"})); }),
              AllOf(HasSubstr("1011"), HasSubstr("1010")));
  testing::DatasetFolder one;
  one.add_clip("AudioWAV/1001_DFA_ANG_XX.wav");
  EXPECT_THAT(testing::error_message_of([&] { open_crema_d(one.tree()); }),
              HasSubstr("1 speakers"));
  one.add_clip("AudioWAV/1002_DFA_ANG_XX.wav");
  EXPECT_THAT(testing::error_message_of([&] { open_crema_d(one.tree()); }),
              HasSubstr("1 emotions to train on"));
}

}  // namespace
}  // namespace projnce::dataset
