#include "projnce/dataset/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projnce/dataset/labels.h"
#include "tests/support/complaint.h"
#include "tests/support/data_files.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/scratch_dir.h"

namespace projnce {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FolderTest : public ::testing::Test {
 protected:
  void add(const std::string& file) {
    testing::write_file(dir_.path() / file, testing::encode_png(testing::plain_image(2, 3, {9})));
  }
  void add_many(const std::string& folder, int count) {
    for (int i = 0; i < count; ++i) add(concat(folder, "/", i, ".png"));
  }

  DatasetSplit open(const HoldOut& options = {}) {
    return open_folder(open_file_tree(dir_.path()), options);
  }
  std::string complaint_on_opening() {
    return testing::complaint([this] { open(); });
  }

  testing::ScratchDir dir_;
};

TEST_F(FolderTest, ReadsTrainAndTestFolders) {
  add_many("train/dog", 2);
  add_many("train/cat", 3);
  add_many("test/dog", 1);
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("cat", "dog"));
  EXPECT_THAT(class_counts(*split.train), ElementsAre(3, 2));
  EXPECT_THAT(class_counts(*split.test), ElementsAre(0, 1));
  EXPECT_EQ(split.train->sample_name(3), "train/dog/0.png");
  EXPECT_EQ(split.test->sample_name(0), "test/dog/0.png");
  EXPECT_EQ(testing::decoded_image(*split.train, 3).width, 3);
}

TEST_F(FolderTest, ValAndValidAreTestPartsToo) {
  add_many("train/cat", 1);
  add_many("train/dog", 1);
  add_many("valid/cat", 4);
  EXPECT_EQ(open().test->size(), 4);
  add_many("val/cat", 2);
  EXPECT_EQ(open().test->size(), 2);
}

TEST_F(FolderTest, SplitsBySeedWhereThereIsNoTestPart) {
  add_many("cat", 10);
  add_many("dog", 20);
  const auto split = open({.seed = 1});
  EXPECT_THAT(class_counts(*split.train), ElementsAre(8, 16));
  EXPECT_THAT(class_counts(*split.test), ElementsAre(2, 4));
  const auto names = [](const Dataset& dataset) {
    std::vector<std::string> found;
    for (int64_t i = 0; i < dataset.size(); ++i) found.push_back(dataset.sample_name(i));
    return found;
  };
  EXPECT_EQ(names(*open({.seed = 1}).test), names(*split.test));
  EXPECT_NE(names(*open({.seed = 2}).test), names(*split.test));
}

TEST_F(FolderTest, AClassMayBeCalledTrain) {
  add_many("train", 2);
  add_many("car", 2);
  add_many("test", 2);
  EXPECT_THAT(open().train->class_names(), ElementsAre("car", "test", "train"));
}

TEST_F(FolderTest, TakesPicturesOfAnyCaseAndDepthAndNothingElse) {
  add("cat/a.PNG");
  add("cat/deeper/b.JpEg");
  add("cat/.hidden.png");
  add("cat/.cache/c.png");
  add("cat/notes.txt");
  add("cat/d.png.part");
  add_many("dog", 2);
  add_many(".git", 2);
  const auto split = open();
  EXPECT_EQ(split.train->size() + split.test->size(), 4);
}

TEST_F(FolderTest, LinksInACircleEnd) {
  add_many("cat", 2);
  add_many("dog", 2);
  std::filesystem::create_directory_symlink(".", dir_.path() / "self");
  std::filesystem::create_directory_symlink("../..", dir_.path() / "cat/up");
  std::filesystem::create_directory_symlink("pong", dir_.path() / "ping");
  std::filesystem::create_directory_symlink("ping", dir_.path() / "pong");
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("cat", "dog"));
  EXPECT_EQ(split.train->size() + split.test->size(), 4);
}

TEST_F(FolderTest, FollowsALinkToAClassFolderElsewhere) {
  const testing::ScratchDir elsewhere;
  testing::write_file(elsewhere.path() / "a.png", {});
  testing::write_file(elsewhere.path() / "b.png", {});
  add_many("cat", 2);
  std::filesystem::create_directory_symlink(elsewhere.path(), dir_.path() / "dog");
  EXPECT_THAT(open().train->class_names(), ElementsAre("cat", "dog"));
}

TEST_F(FolderTest, NamesThatAreNotTextAreEscapedAndStillRead) {
  add_many("caf\xE9", 2);
  add("dog/new\nline.png");
  add("dog/new\nline2.png");
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("caf\\xE9", "dog"));
  EXPECT_THAT(split.train->sample_name(1), StartsWith("dog/new\\x0Aline"));
  EXPECT_EQ(testing::decoded_image(*split.train, 0).height, 2);
  EXPECT_EQ(testing::decoded_image(*split.train, 1).height, 2);
}

TEST_F(FolderTest, UnusableFoldersHaveTheirSentences) {
  EXPECT_THAT(complaint_on_opening(), HasSubstr("has no sub-folders"));
  add("loose.png");
  EXPECT_THAT(complaint_on_opening(), HasSubstr("has no sub-folders"));
  add("cat/a.png");
  EXPECT_THAT(complaint_on_opening(), HasSubstr("has one class only, 'cat'"));
  std::filesystem::create_directory(dir_.path() / "dog");
  EXPECT_THAT(complaint_on_opening(),
              AllOf(HasSubstr("/dog holds no picture, which leaves 1 of the two classes"),
                    HasSubstr(".jpg, .jpeg, .jfif, .png, .webp, .gif, .bmp, .tif, .tiff")));
  add("dog/a.png");
  EXPECT_THAT(complaint_on_opening(), HasSubstr("has no picture to test with"));
}

TEST_F(FolderTest, AnEmptyClassFolderIsLeftOutWithAWarning) {
  add_many("train/cat", 2);
  add_many("train/dog", 2);
  add_many("test/cat", 1);
  std::filesystem::create_directories(dir_.path() / "train/emu");
  std::filesystem::create_directories(dir_.path() / "test/emu");
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("cat", "dog"));
  EXPECT_THAT(split.warnings, ElementsAre(HasSubstr("train/emu holds no picture and is left out")));
}

TEST_F(FolderTest, FilesThatAreNotReadAreCountedByExtension) {
  add_many("cat", 3);
  add_many("dog", 3);
  for (const auto* file : {"cat/IMG_2.HEIC", "cat/IMG_1.heic", "dog/notes.txt", "dog/README"}) {
    testing::write_file(dir_.path() / file, testing::octets_of("x"));
  }
  const auto split = open();
  EXPECT_EQ(split.unread_files,
            (std::map<std::string, int64_t>{{"", 1}, {".heic", 2}, {".txt", 1}}));
  EXPECT_THAT(split.warnings,
              ElementsAre(AllOf(HasSubstr("2 .heic files are not read, such as cat/IMG_1.heic"),
                                HasSubstr("magick mogrify -format jpg *.heic"))));
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("1 without an extension, 1 .txt")));
}

TEST_F(FolderTest, AFolderOfFilesThatAreNotReadSaysHowToConvertThem) {
  for (const auto* file : {"cat/a.heic", "cat/b.heic", "dog/a.heic", "dog/b.txt"}) {
    testing::write_file(dir_.path() / file, testing::octets_of("x"));
  }
  EXPECT_THAT(complaint_on_opening(),
              AllOf(HasSubstr("/cat holds no picture, which leaves 0"),
                    HasSubstr("3 .heic, 1 .txt"), HasSubstr("magick mogrify")));
}

TEST_F(FolderTest, TheReasonForTheLayoutNamesItsFolders) {
  add_many("cat", 3);
  add_many("dog", 3);
  EXPECT_THAT(open().layout.reason, StartsWith("a sub-folder for each class"));
}

TEST_F(FolderTest, TheReasonForTheLayoutNamesTrainAndTest) {
  add_many("train/cat", 2);
  add_many("train/dog", 2);
  add_many("val/cat", 2);
  EXPECT_THAT(open().layout.reason, StartsWith("folders train and val with a sub-folder"));
}

TEST_F(FolderTest, AnEmptyTrainFolderIsNamed) {
  std::filesystem::create_directory(dir_.path() / "train");
  EXPECT_THAT(complaint_on_opening(), HasSubstr("/train has no sub-folders"));
}

TEST_F(FolderTest, AClassOfTheTestPartAloneIsNamed) {
  add_many("train/cat", 1);
  add_many("train/dog", 1);
  add_many("test/ship", 1);
  EXPECT_THAT(complaint_on_opening(),
              AllOf(HasSubstr("class 'ship'"), HasSubstr("not in the training part")));
}

TEST_F(FolderTest, DecodingAFileThatIsNoPictureNamesIt) {
  add_many("train/cat", 1);
  add_many("test/cat", 1);
  testing::write_file(dir_.path() / "train/dog/x.jpg", testing::octets_of("hello"));
  const auto split = open();
  EXPECT_THAT(testing::complaint([&] { split.train->decode(1); }),
              StartsWith("train/dog/x.jpg is not a picture that is read"));
}

TEST_F(FolderTest, SoundsAreFoundByLooking) {
  const auto add_sound = [this](const std::string& file) {
    testing::write_file(dir_.path() / file, testing::encode_wav(8000, {1, 2, 3}));
  };
  for (const std::string name : {"bark", "meow"}) {
    for (int i = 0; i < 3; ++i) add_sound(concat(name, "/", i, ".wav"));
  }
  add("bark/cover.png");
  auto split = open();
  EXPECT_EQ(split.train->kind(), SampleKind::kSound);
  EXPECT_EQ(split.train->size() + split.test->size(), 6);
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("1 pictures were left out")));
  EXPECT_EQ(std::get<Clip>(split.train->decode(0)).samples.size(), 3U);

  add_many("bark", 4);
  add_many("meow", 4);
  split = open();
  EXPECT_EQ(split.train->kind(), SampleKind::kImage);
  EXPECT_THAT(split.remarks, ElementsAre(HasSubstr("6 sounds were left out")));
}

TEST_F(FolderTest, FoldersAroundTheClassesAreLookedThrough) {
  add_many("caltech101/101_ObjectCategories/chair", 2);
  add_many("caltech101/101_ObjectCategories/ketch", 2);
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("chair", "ketch"));
  EXPECT_EQ(split.train->sample_name(0).substr(0, 6), "chair/");
}

TEST_F(FolderTest, ReadsAnArchiveInPlace) {
  testing::DatasetFolder folder;
  folder.add_picture("train/cat/a.png");
  folder.add_picture("train/dog/a.png");
  folder.add_picture("test/dog/b.png");
  const auto split = open_folder(folder.packed(), {});
  EXPECT_THAT(split.train->class_names(), ElementsAre("cat", "dog"));
  EXPECT_THAT(testing::sample_names(*split.test), ElementsAre("test/dog/b.png"));
  EXPECT_EQ(testing::decoded_image(*split.test, 0).width, 3);
  EXPECT_FALSE(split.test->content_id(0).empty());
}

}  // namespace
}  // namespace projnce
