#include "projnce/dataset/readers/tree_files.h"

#include <gtest/gtest.h>

#include "tests/support/data_files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

class LayoutTest : public ::testing::Test {
 protected:
  void add(const std::string& file) {
    testing::write_file(dir_.path() / "root" / file, testing::octets_of("x"));
  }

  /// Folder that contains `file`, relative to the root; "none" if there is none.
  std::string found(const std::string& file) const {
    const auto tree = io::open_file_tree(dir_.path() / "root");
    const auto folder = find_subtree_with(tree, {file});
    if (!folder) return "none";
    return folder == tree ? "" : folder->name().substr(tree->name().size() + 1);
  }

  testing::ScratchDir dir_;
};

TEST_F(LayoutTest, FindsTheNearestFolderWithAFile) {
  for (const auto* file : {"a/deep/meta/list.txt", "b/meta/list.txt", "c/meta/list.txt",
                           "1/2/3/4/far.txt", "1/2/3/near.txt", "here.txt"}) {
    add(file);
  }
  EXPECT_EQ(found("meta/list.txt"), "b");
  EXPECT_EQ(found("here.txt"), "");
  EXPECT_EQ(found("near.txt"), "1/2/3");
  EXPECT_EQ(found("far.txt"), "none");
  EXPECT_EQ(found("none.txt"), "none");
}

TEST_F(LayoutTest, TerminatesIfFoldersLinkToEachOther) {
  add("a/1.txt");
  add("b/2.txt");
  std::filesystem::create_directory_symlink("../b", dir_.path() / "root/a/b");
  std::filesystem::create_directory_symlink("../a", dir_.path() / "root/b/a");
  EXPECT_EQ(found("none"), "none");
}

}  // namespace
}  // namespace projnce::dataset
