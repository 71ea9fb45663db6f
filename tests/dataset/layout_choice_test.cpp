#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "projnce/dataset/open_dataset.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/error_message.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class LayoutChoiceTest : public ::testing::Test {
 protected:
  /// Clips of five seconds in class folders, next to the lists of Speech Commands.
  void add_long_clips() {
    const auto audio = testing::encode_wav(1000, std::vector<int16_t>(5000, 100));
    for (const std::string name : {"dog", "rain"}) {
      for (int i = 0; i < 6; ++i) folder_.write(concat(name, "/", i, ".wav"), audio);
    }
    folder_.write_text("testing_list.txt", "dog/0.wav\nrain/0.wav\n");
    folder_.write_text("validation_list.txt", "dog/1.wav\nrain/1.wav\n");
  }

  /// Options as in `projnce data` and `projnce train`; `layout` is the user's choice, "" =
  /// auto-detect.
  DatasetOptions options(const std::string& layout = {}) {
    auto made = dataset_options(
        layout.empty() ? recognize_dataset(folder_.root()).value_or("folder") : layout);
    made.layout_chosen = !layout.empty();
    made.root = folder_.root().native();
    return made;
  }
  DatasetSplit open(const std::string& layout = {}) {
    return open_unchecked_dataset(options(layout), {});
  }

  testing::DatasetFolder folder_;
};

TEST_F(LayoutChoiceTest, LongClipsWithListsUseTheFolderLayout) {
  add_long_clips();
  const auto split = open();
  EXPECT_EQ(split.layout.name, "folder");
  EXPECT_THAT(split.layout.reason, HasSubstr("one subfolder per class"));
  EXPECT_THAT(split.remarks, Contains(AllOf(HasSubstr("testing_list.txt"), HasSubstr("last 5 s"),
                                            HasSubstr("--layout speech-commands"))));
}

TEST_F(LayoutChoiceTest, UserCanChooseTheLayout) {
  add_long_clips();
  const auto split = open("speech-commands");
  EXPECT_EQ(split.layout.name, "speech-commands");
  EXPECT_EQ(split.layout.reason, "chosen by --layout");
  EXPECT_EQ(testing::sample_names(*split.test),
            (std::vector<std::string>{"dog/0.wav", "rain/0.wav"}));
}

TEST_F(LayoutChoiceTest, ReasonNamesTheRecognizedFiles) {
  for (const std::string word : {"yes", "no"}) {
    for (int i = 0; i < 4; ++i) folder_.add_clip(concat(word, "/", i, ".wav"));
  }
  folder_.write_text("testing_list.txt", "yes/0.wav\nno/0.wav\n");
  folder_.write_text("validation_list.txt", "yes/1.wav\n");
  const auto split = open();
  EXPECT_EQ(split.layout.name, "speech-commands");
  EXPECT_THAT(split.layout.reason, HasSubstr("testing_list.txt and validation_list.txt name"));
  const auto as_folder = open("folder");
  EXPECT_THAT(as_folder.remarks, Contains(HasSubstr("are not used; use --layout speech-commands")));
}

TEST_F(LayoutChoiceTest, UnknownLayoutSuggestsTheNearestName) {
  for (const auto& name : dataset_names()) EXPECT_NO_THROW(check_layout_name(name));
  EXPECT_THAT(testing::error_message_of([] { check_layout_name("speech-comands"); }),
              AllOf(HasSubstr("layout"), HasSubstr("did you mean 'speech-commands'")));
}

TEST_F(LayoutChoiceTest, LogsLayoutAndWarnings) {
  for (int i = 0; i < 4; ++i) {
    folder_.add_image(concat("cat/", i, ".png"));
    folder_.add_image(concat("dog/", i, ".png"));
  }
  folder_.write_text("emu/a.heic", "x");
  std::ostringstream log;
  open_dataset(options(), {.logger = std::make_shared<spdlog::logger>(
                               "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log))});
  EXPECT_THAT(log.str(), AllOf(HasSubstr("layout: folder (one subfolder per class"),
                               HasSubstr("emu contains no image and is skipped"),
                               HasSubstr("1 .heic file is not supported, such as emu/a.heic")));
}

TEST_F(LayoutChoiceTest, RejectsASingleTrainingClassBeforeDecoding) {
  for (int i = 0; i < 4; ++i) folder_.add_clip(concat("yes/", i, ".wav"));
  folder_.add_clip("no/0.wav");
  folder_.write_text("testing_list.txt", "yes/0.wav\nno/0.wav\n");
  folder_.write_text("validation_list.txt", "yes/1.wav\n");
  const auto expected =
      AllOf(HasSubstr("samples of only one class, 'yes'"), HasSubstr("two classes"));
  EXPECT_THAT(testing::error_message_of([&] { open(); }), expected);
  EXPECT_THAT(testing::error_message_of([&] { open_dataset(options(), {}); }), expected);
}

}  // namespace
}  // namespace projnce::dataset
