#include "projnce/dataset/readers/class_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "projnce/dataset/labels.h"
#include "tests/support/data_files.h"
#include "tests/support/dataset_folder.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
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
    return open_folder(io::open_file_tree(dir_.path()), options);
  }
  std::string error_on_opening() {
    return testing::error_message_of([this] { open(); });
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

TEST_F(FolderTest, ValAndValidAreTestSplits) {
  add_many("train/cat", 1);
  add_many("train/dog", 1);
  add_many("valid/cat", 4);
  EXPECT_EQ(open().test->size(), 4);
  add_many("val/cat", 2);
  EXPECT_EQ(open().test->size(), 2);
}

TEST_F(FolderTest, SplitsBySeedWithoutATestFolder) {
  add_many("cat", 10);
  add_many("dog", 20);
  const auto split = open({.seed = 1, .rule = SplitRule::kShuffle});
  EXPECT_THAT(class_counts(*split.train), ElementsAre(8, 16));
  EXPECT_THAT(class_counts(*split.test), ElementsAre(2, 4));
  const auto names = [](const Dataset& dataset) {
    std::vector<std::string> found;
    for (int64_t i = 0; i < dataset.size(); ++i) found.push_back(dataset.sample_name(i));
    return found;
  };
  EXPECT_EQ(names(*open({.seed = 1, .rule = SplitRule::kShuffle}).test), names(*split.test));
  EXPECT_NE(names(*open({.seed = 2, .rule = SplitRule::kShuffle}).test), names(*split.test));
}

/// Content of the test samples: gray values that equal their numbers.
std::set<int> test_numbers(const DatasetSplit& split) {
  std::set<int> numbers;
  for (int64_t i = 0; i < split.test->size(); ++i) {
    numbers.insert(testing::decoded_image(*split.test, i).pixels.at(0));
  }
  return numbers;
}

TEST_F(FolderTest, SplitIsStableUnderMovingRenamingAddingAndRemovingFiles) {
  const auto place = [](int i) { return concat(i % 2 == 0 ? "cat/" : "dog/", i, ".png"); };
  const auto write = [&](const std::string& file, int number) {
    const auto gray = static_cast<uint8_t>(number);
    testing::write_file(dir_.path() / file,
                        testing::encode_png(testing::plain_image(2, 3, {gray})));
  };
  for (int i = 0; i < 100; ++i) write(place(i), i);
  const auto before = test_numbers(open());
  EXPECT_GT(before.size(), 10U);
  EXPECT_LT(before.size(), 35U);

  const auto root = dir_.path();
  for (int i = 0; i < 20; ++i) {  // another class, another name
    std::filesystem::rename(root / place(i),
                            root / concat(i % 2 == 0 ? "dog/" : "cat/", "x", i, ".png"));
  }
  EXPECT_EQ(test_numbers(open()), before);
  for (int i = 90; i < 100; ++i) std::filesystem::remove(root / place(i));
  for (int i = 100; i < 120; ++i) write(place(i), i);
  auto after = test_numbers(open());
  std::erase_if(after, [](int number) { return number >= 100; });
  auto kept = before;
  std::erase_if(kept, [](int number) { return number >= 90; });
  EXPECT_EQ(after, kept);
  std::filesystem::rename(root / "cat", root / "zebra");
  std::filesystem::rename(root / "dog", root / "cat");
  after = test_numbers(open());
  std::erase_if(after, [](int number) { return number >= 100; });
  EXPECT_EQ(after, kept) << "renamed classes";
}

TEST_F(FolderTest, FolderAndArchiveHaveTheSameSplit) {
  testing::DatasetFolder folder;
  for (int i = 0; i < 40; ++i) {
    const auto gray = static_cast<uint8_t>(i);
    folder.write(concat(i % 2 == 0 ? "cat/" : "dog/", i, ".png"),
                 testing::encode_png(testing::plain_image(2, 3, {gray})));
  }
  EXPECT_EQ(test_numbers(open_folder(folder.packed(), {})),
            test_numbers(open_folder(folder.tree(), {})));
}

TEST_F(FolderTest, SplitsDuplicatesByName) {
  add_many("cat", 5);
  add_many("dog", 5);
  const auto split = open();
  EXPECT_THAT(class_counts(*split.test), Each(Ge(1)));
  EXPECT_THAT(split.remarks, Contains(HasSubstr("exact duplicates")));
}

TEST_F(FolderTest, AcceptsAClassCalledTrain) {
  add_many("train", 2);
  add_many("car", 2);
  add_many("test", 2);
  EXPECT_THAT(open().train->class_names(), ElementsAre("car", "test", "train"));
}

TEST_F(FolderTest, ReadsOnlyImagesOfAnyCaseAndDepth) {
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

TEST_F(FolderTest, TerminatesOnCircularLinks) {
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

TEST_F(FolderTest, FollowsLinksToClassFolders) {
  const testing::ScratchDir elsewhere;
  testing::write_file(elsewhere.path() / "a.png", {});
  testing::write_file(elsewhere.path() / "b.png", {});
  add_many("cat", 2);
  std::filesystem::create_directory_symlink(elsewhere.path(), dir_.path() / "dog");
  EXPECT_THAT(open().train->class_names(), ElementsAre("cat", "dog"));
}

TEST_F(FolderTest, EscapesInvalidUtf8InNames) {
  add_many("caf\xE9", 2);
  add("dog/new\nline.png");
  add("dog/new\nline2.png");
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("caf\\xE9", "dog"));
  EXPECT_THAT(split.train->sample_name(1), StartsWith("dog/new\\x0Aline"));
  EXPECT_EQ(testing::decoded_image(*split.train, 0).height, 2);
  EXPECT_EQ(testing::decoded_image(*split.train, 1).height, 2);
}

TEST_F(FolderTest, ReportsInvalidFolders) {
  EXPECT_THAT(error_on_opening(), HasSubstr("has no subfolders"));
  add("loose.png");
  EXPECT_THAT(error_on_opening(), HasSubstr("has no subfolders"));
  add("cat/a.png");
  EXPECT_THAT(error_on_opening(), HasSubstr("has only one class, 'cat'"));
  std::filesystem::create_directory(dir_.path() / "dog");
  EXPECT_THAT(error_on_opening(),
              AllOf(HasSubstr("/dog contains no image, leaving 1 of at least two expected classes"),
                    HasSubstr(".jpg, .jpeg, .jfif, .png, .webp, .gif, .bmp, .tif, .tiff")));
  add("dog/a.png");
  EXPECT_THAT(error_on_opening(), HasSubstr("has no image to test with"));
}

TEST_F(FolderTest, SkipsEmptyClassFoldersWithAWarning) {
  add_many("train/cat", 2);
  add_many("train/dog", 2);
  add_many("test/cat", 1);
  std::filesystem::create_directories(dir_.path() / "train/emu");
  std::filesystem::create_directories(dir_.path() / "test/emu");
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("cat", "dog"));
  EXPECT_THAT(split.warnings, ElementsAre(HasSubstr("train/emu contains no image and is skipped")));
}

TEST_F(FolderTest, CountsUnsupportedFilesByExtension) {
  add_many("cat", 3);
  add_many("dog", 3);
  for (const auto* file : {"cat/IMG_2.HEIC", "cat/IMG_1.heic", "dog/notes.txt", "dog/README"}) {
    testing::write_file(dir_.path() / file, testing::octets_of("x"));
  }
  const auto split = open();
  EXPECT_EQ(split.unread_files,
            (std::map<std::string, int64_t>{{"", 1}, {".heic", 2}, {".txt", 1}}));
  EXPECT_THAT(
      split.warnings,
      ElementsAre(AllOf(HasSubstr("2 .heic files are not supported, such as cat/IMG_1.heic"),
                        HasSubstr("magick mogrify -format jpg *.heic"))));
  EXPECT_THAT(split.remarks, Contains(HasSubstr("1 without an extension, 1 .txt")));
}

TEST_F(FolderTest, SuggestsHowToConvertUnsupportedFiles) {
  for (const auto* file : {"cat/a.heic", "cat/b.heic", "dog/a.heic", "dog/b.txt"}) {
    testing::write_file(dir_.path() / file, testing::octets_of("x"));
  }
  EXPECT_THAT(error_on_opening(), AllOf(HasSubstr("/cat contains no image, leaving 0"),
                                        HasSubstr("3 .heic, 1 .txt"), HasSubstr("magick mogrify")));
}

TEST_F(FolderTest, LayoutReasonNamesTheClassFolders) {
  add_many("cat", 3);
  add_many("dog", 3);
  EXPECT_THAT(open().layout.reason, StartsWith("one subfolder per class"));
}

TEST_F(FolderTest, LayoutReasonNamesTrainAndTest) {
  add_many("train/cat", 2);
  add_many("train/dog", 2);
  add_many("val/cat", 2);
  EXPECT_THAT(open().layout.reason, StartsWith("folders train and val with one subfolder"));
}

TEST_F(FolderTest, RejectsAnEmptyTrainFolder) {
  std::filesystem::create_directory(dir_.path() / "train");
  EXPECT_THAT(error_on_opening(), HasSubstr("/train has no subfolders"));
}

TEST_F(FolderTest, RejectsClassesThatOnlyTheTestSplitHas) {
  add_many("train/cat", 1);
  add_many("train/dog", 1);
  add_many("test/ship", 1);
  EXPECT_THAT(error_on_opening(),
              AllOf(HasSubstr("class 'ship'"), HasSubstr("not in the training split")));
}

TEST_F(FolderTest, DecodingAnInvalidImageNamesIt) {
  add_many("train/cat", 1);
  add_many("test/cat", 1);
  testing::write_file(dir_.path() / "train/dog/x.jpg", testing::octets_of("hello"));
  const auto split = open();
  EXPECT_THAT(testing::error_message_of([&] { split.train->decode(1); }),
              StartsWith("train/dog/x.jpg is not a supported image"));
}

TEST_F(FolderTest, DetectsSounds) {
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
  EXPECT_THAT(split.remarks, Contains(HasSubstr("skipped 1 image:")));
  EXPECT_EQ(std::get<Clip>(split.train->decode(0)).samples.size(), 3U);

  add_many("bark", 4);
  add_many("meow", 4);
  split = open();
  EXPECT_EQ(split.train->kind(), SampleKind::kImage);
  EXPECT_THAT(split.remarks, Contains(HasSubstr("skipped 6 sounds:")));
}

TEST_F(FolderTest, SkipsEnclosingFolders) {
  add_many("caltech101/101_ObjectCategories/chair", 2);
  add_many("caltech101/101_ObjectCategories/ketch", 2);
  const auto split = open();
  EXPECT_THAT(split.train->class_names(), ElementsAre("chair", "ketch"));
  EXPECT_EQ(split.train->sample_name(0).substr(0, 6), "chair/");
}

TEST_F(FolderTest, ReadsAnArchiveInPlace) {
  testing::DatasetFolder folder;
  folder.add_image("train/cat/a.png");
  folder.add_image("train/dog/a.png");
  folder.add_image("test/dog/b.png");
  const auto split = open_folder(folder.packed(), {});
  EXPECT_THAT(split.train->class_names(), ElementsAre("cat", "dog"));
  EXPECT_THAT(testing::sample_names(*split.test), ElementsAre("test/dog/b.png"));
  EXPECT_EQ(testing::decoded_image(*split.test, 0).width, 3);
  EXPECT_FALSE(split.test->content_id(0).empty());
}

}  // namespace
}  // namespace projnce::dataset
