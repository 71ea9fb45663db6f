#include "projnce/io/filesystem/file_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/data_files.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;

class FolderTreeTest : public ::testing::Test {
 protected:
  FolderTreeTest() { testing::write_file(dir_ / "root/cat/1.png", {1}); }

  void link(const std::string& target, const std::string& name) {
    std::filesystem::create_symlink(target, dir_ / "root" / name);
  }

  testing::ScratchDir dir_;
  FolderTree tree_{dir_ / "root"};
};

TEST_F(FolderTreeTest, LinksToFoldersAreFoldersUnlessCircular) {
  testing::write_file(dir_ / "elsewhere/2.png", {2});
  link("../elsewhere", "dog");
  link(".", "here");
  link("..", "up");
  link("loop", "loop");
  EXPECT_THAT(tree_.subfolders(""), ElementsAre("cat", "dog"));
  EXPECT_THAT(tree_.files_below("dog", {".png"}), ElementsAre("2.png"));
}

TEST_F(FolderTreeTest, DoesNotDescendIntoLinkedFolders) {
  link("../../root", "cat/back");
  link("1.png", "cat/link.png");
  EXPECT_THAT(tree_.files_below("", {".png"}), ElementsAre("cat/1.png", "cat/link.png"));
}

TEST_F(FolderTreeTest, ListsSpecialFilesSoThatReadingReportsThem) {
  ASSERT_EQ(::mkfifo((dir_ / "root/cat/pipe.png").c_str(), 0600), 0);
  link("none", "cat/dangling.png");
  EXPECT_THAT(tree_.files_below("cat", {".png"}), ElementsAre("1.png", "dangling.png", "pipe.png"));
  EXPECT_TRUE(tree_.has_file("cat/pipe.png"));
  EXPECT_THAT(error_message_of([&] { tree_.read("cat/pipe.png", 1); }),
              HasSubstr("is a named pipe"));
  EXPECT_THAT(error_message_of([&] { tree_.content_id("cat/pipe.png"); }),
              HasSubstr("is a named pipe"));
  EXPECT_THAT(error_message_of([&] { tree_.read("cat/dangling.png", 1); }),
              HasSubstr("No such file"));
  EXPECT_THAT(error_message_of([&] { tree_.read("cat", 1); }), HasSubstr("is a folder"));
}

TEST_F(FolderTreeTest, ContentIdIsIndependentOfPathSpelling) {
  EXPECT_EQ(FolderTree(dir_ / "root/../root").content_id("cat/1.png"),
            tree_.content_id("cat/1.png"));
}

}  // namespace
}  // namespace projnce::io
